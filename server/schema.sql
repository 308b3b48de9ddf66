-- The migrated schema. Generated from the catalog by `npm run generate`: change migrations, not this.

create extension btree_gin;

create extension pg_trgm;

create table advisors (
  advisor_id bigint not null generated always as identity,
  firm_id bigint not null,
  name text not null,
  email text not null,
  password_hash text,
  texting_number text,
  time_zone text not null,
  consent_required boolean not null default true,
  consent_collection boolean not null default true,
  disabled boolean not null default false,
  date_time_created timestamp with time zone not null,
  quiet_hours text not null default 'off'::text,
  texting_pace integer,
  carrier_id smallint,
  campaign text,
  constraint advisors_pkey PRIMARY KEY (advisor_id),
  constraint advisors_carrier_id_fkey FOREIGN KEY (carrier_id) REFERENCES carriers(carrier_id),
  constraint advisors_firm_id_fkey FOREIGN KEY (firm_id) REFERENCES firms(firm_id),
  constraint advisors_quiet_hours_check CHECK ((quiet_hours = ANY (ARRAY['off'::text, 'defer'::text, 'refuse'::text]))),
  constraint advisors_texting_pace_check CHECK ((texting_pace > 0))
);

create table alert_deliveries (
  delivery_id bigint not null generated always as identity,
  target_id bigint not null,
  about text not null,
  state text not null,
  says text not null,
  attempts smallint not null default 0,
  not_before timestamp with time zone,
  fault text,
  date_time_created timestamp with time zone not null,
  constraint alert_deliveries_pkey PRIMARY KEY (delivery_id),
  constraint alert_deliveries_target_id_fkey FOREIGN KEY (target_id) REFERENCES alert_targets(target_id) ON DELETE CASCADE,
  constraint alert_deliveries_state_check CHECK ((state = ANY (ARRAY['begun'::text, 'over'::text, 'test'::text])))
);

create table alert_states (
  about text not null,
  says text not null,
  node text not null,
  told boolean not null default false,
  date_time_begun timestamp with time zone not null,
  constraint alert_states_pkey PRIMARY KEY (about)
);

create table alert_targets (
  target_id bigint not null generated always as identity,
  kind text not null,
  address text not null,
  sealed_secret bytea,
  date_time_created timestamp with time zone not null,
  constraint alert_targets_kind_address_key UNIQUE (kind, address),
  constraint alert_targets_pkey PRIMARY KEY (target_id),
  constraint alert_targets_check CHECK (((kind = 'webhook'::text) = (sealed_secret IS NOT NULL))),
  constraint alert_targets_kind_check CHECK ((kind = ANY (ARRAY['webhook'::text, 'mail'::text])))
);

create table api_key_days (
  key_id bigint not null,
  day date not null,
  used integer not null,
  constraint api_key_days_pkey PRIMARY KEY (key_id, day),
  constraint api_key_days_key_id_fkey FOREIGN KEY (key_id) REFERENCES api_keys(key_id)
);

create table api_keys (
  key_id bigint not null generated always as identity,
  application_id bigint not null,
  key_hash bytea not null,
  hint text not null,
  rate_per_second integer,
  burst integer,
  daily_quota integer,
  revoked boolean not null default false,
  date_time_created timestamp with time zone not null,
  constraint api_keys_key_hash_key UNIQUE (key_hash),
  constraint api_keys_pkey PRIMARY KEY (key_id),
  constraint api_keys_application_id_fkey FOREIGN KEY (application_id) REFERENCES applications(application_id)
);

create table applications (
  application_id bigint not null generated always as identity,
  client_id text not null,
  name text not null,
  secret_hash bytea not null,
  scopes text[] not null,
  redirect_uris text[] not null,
  disabled boolean not null default false,
  date_time_created timestamp with time zone not null,
  constraint applications_client_id_key UNIQUE (client_id),
  constraint applications_pkey PRIMARY KEY (application_id)
);

create table archive_bodies (
  advisor_id bigint not null,
  number bigint not null,
  salt bytea not null,
  body bytea not null,
  constraint archive_bodies_pkey PRIMARY KEY (advisor_id, number)
);

create table archive_checkpoints (
  checkpoint_id bigint not null generated always as identity,
  size bigint not null,
  note text not null,
  date_time_created timestamp with time zone not null,
  constraint archive_checkpoints_pkey PRIMARY KEY (checkpoint_id)
);

create table archive_deliveries (
  checkpoint_id bigint not null,
  date_time_created timestamp with time zone not null,
  constraint archive_deliveries_pkey PRIMARY KEY (checkpoint_id),
  constraint archive_deliveries_checkpoint_id_fkey FOREIGN KEY (checkpoint_id) REFERENCES archive_checkpoints(checkpoint_id)
);

create table archive_entries (
  advisor_id bigint not null,
  number bigint not null,
  kind text not null,
  member_id bigint,
  message_id bigint,
  actor text not null,
  trace_id text,
  meta text not null,
  commitment bytea not null,
  date_time_created timestamp with time zone not null,
  recorded_at timestamp with time zone default now(),
  consent_state text generated always as (
CASE
    WHEN (kind = 'consent'::text) THEN ((meta)::json ->> 'to'::text)
    ELSE NULL::text
END) stored,
  consent_phone text generated always as (
CASE
    WHEN (kind = 'consent'::text) THEN ((meta)::json ->> 'phone'::text)
    ELSE NULL::text
END) stored,
  constraint archive_entries_pkey PRIMARY KEY (advisor_id, number)
);

create table archive_heads (
  advisor_id bigint not null,
  last_number bigint not null,
  next_slot timestamp with time zone not null default '-infinity'::timestamp with time zone,
  last_event bigint not null default 0,
  constraint archive_heads_pkey PRIMARY KEY (advisor_id)
) with (fillfactor=50);

create table archive_indexed (
  advisor_id bigint not null,
  last_number bigint not null,
  constraint archive_indexed_pkey PRIMARY KEY (advisor_id)
);

create table archive_runs (
  first_leaf bigint not null,
  advisor_id bigint not null,
  first_number bigint not null,
  entries integer not null,
  constraint archive_runs_advisor_id_first_number_key UNIQUE (advisor_id, first_number),
  constraint archive_runs_pkey PRIMARY KEY (first_leaf, advisor_id),
  constraint archive_runs_entries_check CHECK ((entries > 0))
);

create table archive_taken (
  advisor_id bigint not null,
  last_number bigint not null,
  constraint archive_taken_pkey PRIMARY KEY (advisor_id)
);

create table archive_tiles (
  level smallint not null,
  tile bigint not null,
  hashes bytea not null,
  constraint archive_tiles_pkey PRIMARY KEY (level, tile)
);

create table archive_tree (
  only_row boolean not null default true,
  size bigint not null,
  root bytea not null,
  fault text,
  constraint archive_tree_pkey PRIMARY KEY (only_row),
  constraint archive_tree_only_row_check CHECK (only_row)
);

create table archive_verifications (
  verification_id bigint not null generated always as identity,
  verdict text not null,
  entries bigint not null,
  checkpoints bigint not null,
  faults integer not null,
  date_time_created timestamp with time zone not null,
  actor text not null,
  constraint archive_verifications_pkey PRIMARY KEY (verification_id),
  constraint archive_verifications_verdict_check CHECK ((verdict = ANY (ARRAY['intact'::text, 'altered'::text, 'incomplete'::text, 'unknown'::text])))
);

create table archive_words (
  firm_id bigint not null,
  date_time_created timestamp with time zone not null,
  advisor_id bigint not null,
  number bigint not null,
  words tsvector not null,
  constraint archive_words_pkey PRIMARY KEY (firm_id, date_time_created, advisor_id, number)
);

create table attempts (
  advisor_id bigint not null,
  message_id bigint not null,
  attempt smallint not null,
  date_time_started timestamp with time zone not null,
  date_time_ended timestamp with time zone,
  outcome text,
  code text,
  constraint attempts_pkey PRIMARY KEY (advisor_id, message_id, attempt)
);

create table broadcast_recipients (
  advisor_id bigint not null,
  broadcast_id bigint not null,
  place integer not null,
  contact_id bigint not null,
  name text,
  phone text,
  text text not null,
  state text not null,
  not_before timestamp with time zone,
  message_id bigint,
  code text,
  constraint broadcast_recipients_pkey PRIMARY KEY (advisor_id, broadcast_id, place),
  constraint broadcast_recipients_check CHECK ((((message_id IS NOT NULL) = (state = 'accepted'::text)) AND ((code IS NOT NULL) = (state = 'refused'::text)))),
  constraint broadcast_recipients_state_check CHECK ((state = ANY (ARRAY['waiting'::text, 'accepted'::text, 'refused'::text, 'stopped'::text])))
);

create table broadcasts (
  advisor_id bigint not null,
  broadcast_id bigint not null generated always as identity,
  group_id bigint,
  group_name text,
  text text not null,
  wording_version integer,
  status text not null,
  people integer not null,
  accepted integer not null default 0,
  refused integer not null,
  actor text not null,
  trace_id text,
  due_at timestamp with time zone not null,
  date_time_created timestamp with time zone not null,
  date_time_ended timestamp with time zone,
  constraint broadcasts_pkey PRIMARY KEY (advisor_id, broadcast_id),
  constraint broadcasts_status_check CHECK ((status = ANY (ARRAY['sending'::text, 'done'::text, 'stopped'::text])))
);

create table carrier_records (
  run_id bigint not null,
  carrier_message_id text not null,
  from_number text not null,
  to_number text not null,
  text_hash bytea,
  date_time timestamp with time zone not null,
  constraint carrier_records_pkey PRIMARY KEY (run_id, carrier_message_id)
);

create table carrier_status (
  node text not null,
  carrier_id smallint not null,
  status jsonb not null,
  date_time timestamp with time zone not null,
  constraint carrier_status_pkey PRIMARY KEY (node, carrier_id)
);

create table carrier_texts (
  advisor_id bigint not null,
  carrier_id smallint not null,
  carrier_message_id text not null,
  message_id bigint not null,
  constraint carrier_texts_pkey PRIMARY KEY (carrier_message_id, carrier_id, advisor_id)
);

create table carriers (
  carrier_id smallint not null generated always as identity,
  name text not null,
  kind text not null,
  sealed_settings bytea,
  disabled boolean not null default false,
  version integer not null default 1,
  date_time_created timestamp with time zone not null,
  constraint carriers_name_key UNIQUE (name),
  constraint carriers_pkey PRIMARY KEY (carrier_id)
);

create table claims (
  claim_id uuid not null default gen_random_uuid(),
  advisor_id bigint not null,
  date_time_started timestamp with time zone not null,
  leased_until timestamp with time zone not null,
  advisor_ids bigint[] not null,
  message_ids bigint[] not null,
  attempts smallint[] not null,
  carrier_id smallint not null,
  constraint claims_pkey PRIMARY KEY (claim_id, advisor_id)
);

create table contact_books (
  advisor_id bigint not null,
  contact_count integer not null default 0,
  email_count integer not null default 0,
  last_change bigint not null default 0,
  constraint contact_books_pkey PRIMARY KEY (advisor_id),
  constraint contact_books_advisor_id_fkey FOREIGN KEY (advisor_id) REFERENCES advisors(advisor_id)
);

create table contact_changes (
  advisor_id bigint not null,
  number bigint not null,
  change text not null,
  first_contact_id bigint not null,
  last_contact_id bigint not null,
  date_time timestamp with time zone not null,
  recorded_at timestamp with time zone not null default clock_timestamp(),
  constraint contact_changes_pkey PRIMARY KEY (advisor_id, number),
  constraint contact_changes_change_check CHECK ((change = ANY (ARRAY['created'::text, 'updated'::text, 'deleted'::text])))
);

create table contact_imports (
  advisor_id bigint not null,
  import_id bigint not null generated always as identity,
  file_name text not null,
  file bytea not null,
  status text not null default 'previewed'::text,
  row_count integer not null,
  rows_done integer not null default 0,
  created integer not null default 0,
  updated integer not null default 0,
  unchanged integer not null default 0,
  repeated integer not null default 0,
  refused integer not null default 0,
  notes jsonb not null default '[]'::jsonb,
  leased_until timestamp with time zone not null default '-infinity'::timestamp with time zone,
  uploaded_at timestamp with time zone not null default clock_timestamp(),
  constraint contact_imports_pkey PRIMARY KEY (advisor_id, import_id),
  constraint contact_imports_advisor_id_fkey FOREIGN KEY (advisor_id) REFERENCES advisors(advisor_id),
  constraint contact_imports_status_check CHECK ((status = ANY (ARRAY['previewed'::text, 'running'::text, 'done'::text, 'failed'::text, 'stopped'::text])))
);

create table contacts (
  advisor_id bigint not null,
  contact_id bigint not null generated always as identity,
  identifier uuid not null default gen_random_uuid(),
  first_name text,
  last_name text,
  nickname text,
  email_address text collate "und-x-icu",
  phone text,
  birth_date date,
  client_anniversary date,
  gender smallint not null default 0,
  marital_status smallint not null default 0,
  address1 text,
  address2 text,
  city text,
  state text,
  postal_code text,
  source integer not null,
  remote_contact_id text,
  remote_contact_url text,
  email_status text collate "und-x-icu" not null default 'None'::text,
  email_address_disposition smallint not null default 0,
  disable_email_status boolean not null default false,
  date_time_unsubscribed timestamp with time zone,
  custom_fields jsonb not null default '[]'::jsonb,
  group_count integer not null default 0,
  search_text text not null,
  search_keys text[] not null,
  date_time_created timestamp with time zone not null,
  date_time_modified timestamp with time zone not null,
  full_name text collate "und-x-icu" not null generated always as (COALESCE(NULLIF(TRIM(BOTH FROM ((COALESCE(first_name, ''::text) || ' '::text) || COALESCE(last_name, ''::text))), ''::text), phone, email_address, 'Unnamed'::text)) stored,
  email_order text collate "und-x-icu" not null generated always as (COALESCE(replace(email_address, '￿'::text, ''::text), '￿'::text)) stored,
  constraint contacts_pkey PRIMARY KEY (advisor_id, contact_id)
);

create table content_items (
  content_id bigint not null generated always as identity,
  firm_id bigint,
  type text not null,
  title text collate "und-x-icu" not null,
  url text not null,
  summary text,
  keywords text[] not null,
  status text not null,
  date_time_published timestamp with time zone,
  date_time_created timestamp with time zone not null,
  date_time_modified timestamp with time zone not null,
  constraint content_items_firm_id_url_key UNIQUE NULLS NOT DISTINCT (firm_id, url),
  constraint content_items_pkey PRIMARY KEY (content_id),
  constraint content_items_firm_id_fkey FOREIGN KEY (firm_id) REFERENCES firms(firm_id),
  constraint content_items_status_check CHECK ((status = ANY (ARRAY['draft'::text, 'published'::text, 'archived'::text]))),
  constraint content_items_type_check CHECK ((type = ANY (ARRAY['WebContent'::text, 'Emails'::text, 'SocialPosts'::text, 'Print'::text, 'DownloadContent'::text])))
);

create table content_search (
  content_id bigint not null,
  firm_id bigint,
  type text not null,
  date_time_listed timestamp with time zone not null,
  words tsvector not null,
  constraint content_search_pkey PRIMARY KEY (content_id),
  constraint content_search_content_id_fkey FOREIGN KEY (content_id) REFERENCES content_items(content_id)
);

create table content_words (
  word text collate "C" not null,
  constraint content_words_pkey PRIMARY KEY (word)
);

create table conversations (
  advisor_id bigint not null,
  member_id bigint not null,
  read_reply_id bigint not null default 0,
  done_at timestamp with time zone,
  snoozed_at timestamp with time zone,
  snoozed_until timestamp with time zone,
  draft text,
  constraint conversations_pkey PRIMARY KEY (advisor_id, member_id),
  constraint conversations_check CHECK (((snoozed_at IS NULL) = (snoozed_until IS NULL)))
);

create table crm_connections (
  advisor_id bigint not null,
  url text not null,
  sealed_secret bytea not null,
  lookups_after timestamp with time zone not null default '-infinity'::timestamp with time zone,
  lookup_fault text,
  date_time_created timestamp with time zone not null,
  constraint crm_connections_pkey PRIMARY KEY (advisor_id),
  constraint crm_connections_advisor_id_fkey FOREIGN KEY (advisor_id) REFERENCES advisors(advisor_id)
);

create table crm_lookups (
  advisor_id bigint not null,
  phone text not null,
  failures smallint not null default 0,
  not_before timestamp with time zone not null,
  leased_until timestamp with time zone,
  constraint crm_lookups_pkey PRIMARY KEY (advisor_id, phone),
  constraint crm_lookups_advisor_id_fkey FOREIGN KEY (advisor_id) REFERENCES advisors(advisor_id)
);

create table daily_runs (
  job text not null,
  day date not null,
  leased_until timestamp with time zone not null,
  done boolean not null default false,
  constraint daily_runs_pkey PRIMARY KEY (job, day)
);

create table database_time (
  only_row boolean not null default true,
  latest timestamp with time zone not null,
  constraint database_time_pkey PRIMARY KEY (only_row),
  constraint database_time_only_row_check CHECK (only_row)
);

create table deleted_groups (
  advisor_id bigint not null,
  group_id bigint not null,
  constraint deleted_groups_pkey PRIMARY KEY (advisor_id, group_id),
  constraint deleted_groups_advisor_id_fkey FOREIGN KEY (advisor_id) REFERENCES advisors(advisor_id)
);

create table devices (
  device_hash bytea not null,
  advisor_id bigint not null,
  date_time_expires timestamp with time zone not null,
  constraint devices_pkey PRIMARY KEY (device_hash, advisor_id),
  constraint devices_advisor_id_fkey FOREIGN KEY (advisor_id) REFERENCES advisors(advisor_id)
);

create table dispatches (
  advisor_id bigint not null,
  message_id bigint not null,
  not_before timestamp with time zone not null,
  deferred_until timestamp with time zone,
  open_until timestamp with time zone,
  expires_at timestamp with time zone,
  carrier_id smallint not null,
  tries smallint not null default 0,
  constraint dispatches_pkey PRIMARY KEY (message_id, advisor_id)
);

create table earlier_numbers (
  number text not null,
  carrier_id smallint not null,
  advisor_id bigint not null,
  left_at timestamp with time zone not null,
  constraint earlier_numbers_pkey PRIMARY KEY (number, carrier_id, advisor_id),
  constraint earlier_numbers_advisor_id_fkey FOREIGN KEY (advisor_id) REFERENCES advisors(advisor_id)
);

create table ended_grants (
  grant_id text not null,
  constraint ended_grants_pkey PRIMARY KEY (grant_id)
);

create table events (
  advisor_id bigint not null,
  number bigint not null,
  type text not null,
  member_id bigint,
  message_id bigint,
  scheduled_message_id bigint,
  status text,
  failure_code text,
  was_sent boolean,
  state text,
  previous_state text,
  reason text,
  date_time timestamp with time zone not null,
  recorded_at timestamp with time zone not null default clock_timestamp(),
  application_id bigint,
  broadcast_id bigint,
  constraint events_pkey PRIMARY KEY (advisor_id, number)
);

create table export_parts (
  export_id bigint not null,
  part integer not null,
  bytes bytea not null,
  constraint export_parts_pkey PRIMARY KEY (export_id, part)
);

create table exports (
  export_id bigint not null generated always as identity,
  firm_id bigint not null,
  staff_id bigint not null,
  trace_id text,
  of_advisor bigint not null,
  period_from timestamp with time zone not null,
  period_to timestamp with time zone not null,
  format text not null,
  status text not null default 'waiting'::text,
  entries_done bigint not null default 0,
  entries_total bigint,
  bytes bigint not null default 0,
  reason text,
  leased_until timestamp with time zone not null default '-infinity'::timestamp with time zone,
  date_time_created timestamp with time zone not null,
  constraint exports_pkey PRIMARY KEY (export_id),
  constraint exports_firm_id_fkey FOREIGN KEY (firm_id) REFERENCES firms(firm_id),
  constraint exports_staff_id_fkey FOREIGN KEY (staff_id) REFERENCES staff(staff_id),
  constraint exports_format_check CHECK ((format = ANY (ARRAY['eml'::text, 'ndjson'::text]))),
  constraint exports_status_check CHECK ((status = ANY (ARRAY['waiting'::text, 'running'::text, 'ready'::text, 'failed'::text, 'expired'::text])))
);

create table firms (
  firm_id bigint not null generated always as identity,
  name text not null,
  date_time_created timestamp with time zone not null,
  first_text_line boolean,
  review_sample_percent double precision not null default 1,
  opt_out_scope text not null default 'advisor'::text,
  constraint firms_pkey PRIMARY KEY (firm_id),
  constraint firms_opt_out_scope_check CHECK ((opt_out_scope = ANY (ARRAY['advisor'::text, 'firm'::text]))),
  constraint firms_review_sample_percent_check CHECK (((review_sample_percent >= (0)::double precision) AND (review_sample_percent <= (100)::double precision)))
);

create table grants (
  advisor_id bigint not null,
  application_id bigint not null,
  kind text not null,
  grant_id text not null,
  scopes text[] not null,
  date_time_created timestamp with time zone not null,
  date_time_modified timestamp with time zone not null,
  constraint grants_grant_id_key UNIQUE (grant_id),
  constraint grants_pkey PRIMARY KEY (advisor_id, application_id, kind),
  constraint grants_advisor_id_fkey FOREIGN KEY (advisor_id) REFERENCES advisors(advisor_id),
  constraint grants_application_id_fkey FOREIGN KEY (application_id) REFERENCES applications(application_id),
  constraint grants_kind_check CHECK ((kind = ANY (ARRAY['authorized'::text, 'provisioned'::text, 'issued'::text])))
);

create table groups (
  advisor_id bigint not null,
  group_id bigint not null generated always as identity,
  name text collate "und-x-icu" not null,
  external_id text,
  source integer not null,
  contact_count integer not null default 0,
  search_text text not null,
  date_time_created timestamp with time zone not null,
  date_time_modified timestamp with time zone not null,
  constraint groups_advisor_id_external_id_key UNIQUE (advisor_id, external_id),
  constraint groups_pkey PRIMARY KEY (advisor_id, group_id),
  constraint groups_advisor_id_fkey FOREIGN KEY (advisor_id) REFERENCES advisors(advisor_id)
);

create table handset_messages (
  handset_message_id bigint not null generated always as identity,
  phone text not null,
  texting_number text not null,
  text text not null,
  carrier_message_id text not null,
  reference bigint,
  date_time_created timestamp with time zone not null,
  received boolean not null default true,
  constraint handset_messages_pkey PRIMARY KEY (handset_message_id)
);

create table hold_lifts (
  hold_id bigint not null,
  reason text not null,
  staff_id bigint not null,
  counts_from timestamp with time zone not null,
  date_time_created timestamp with time zone not null,
  constraint hold_lifts_pkey PRIMARY KEY (hold_id),
  constraint hold_lifts_hold_id_fkey FOREIGN KEY (hold_id) REFERENCES holds(hold_id),
  constraint hold_lifts_staff_id_fkey FOREIGN KEY (staff_id) REFERENCES staff(staff_id)
);

create table holds (
  hold_id bigint not null generated always as identity,
  firm_id bigint not null,
  advisor_id bigint,
  member_id bigint,
  reason text not null,
  staff_id bigint not null,
  date_time_created timestamp with time zone not null,
  constraint holds_pkey PRIMARY KEY (hold_id),
  constraint holds_advisor_id_fkey FOREIGN KEY (advisor_id) REFERENCES advisors(advisor_id),
  constraint holds_advisor_id_member_id_fkey FOREIGN KEY (advisor_id, member_id) REFERENCES members(advisor_id, member_id),
  constraint holds_firm_id_fkey FOREIGN KEY (firm_id) REFERENCES firms(firm_id),
  constraint holds_staff_id_fkey FOREIGN KEY (staff_id) REFERENCES staff(staff_id),
  constraint holds_check CHECK (((member_id IS NULL) OR (advisor_id IS NOT NULL)))
);

create table idempotent_responses (
  advisor_id bigint not null,
  application_id bigint not null,
  method text not null,
  path text not null,
  key text not null,
  fingerprint bytea not null,
  status smallint,
  body text,
  date_time_created timestamp with time zone not null,
  constraint idempotent_responses_pkey PRIMARY KEY (advisor_id, application_id, method, path, key),
  constraint idempotent_responses_advisor_id_fkey FOREIGN KEY (advisor_id) REFERENCES advisors(advisor_id)
);

create table interactions (
  uid_hash bytea not null,
  browser_hash bytea not null,
  payload jsonb not null,
  date_time_expires timestamp with time zone not null,
  constraint interactions_pkey PRIMARY KEY (uid_hash)
);

create table invitations (
  advisor_id bigint,
  code_hash bytea not null,
  date_time_expires timestamp with time zone not null,
  staff_id bigint,
  constraint invitations_advisor_id_key UNIQUE (advisor_id),
  constraint invitations_staff_id_key UNIQUE (staff_id),
  constraint invitations_pkey PRIMARY KEY (code_hash),
  constraint invitations_advisor_id_fkey FOREIGN KEY (advisor_id) REFERENCES advisors(advisor_id),
  constraint invitations_staff_id_fkey FOREIGN KEY (staff_id) REFERENCES staff(staff_id),
  constraint invitations_owner CHECK ((num_nonnulls(advisor_id, staff_id) = 1))
);

create table lexicons (
  firm_id bigint not null,
  version integer not null,
  rules text not null,
  date_time_created timestamp with time zone not null,
  set_by bigint,
  constraint lexicons_pkey PRIMARY KEY (firm_id, version),
  constraint lexicons_firm_id_fkey FOREIGN KEY (firm_id) REFERENCES firms(firm_id),
  constraint lexicons_set_by_fkey FOREIGN KEY (set_by) REFERENCES staff(staff_id)
);

create table members (
  advisor_id bigint not null,
  member_id bigint not null generated always as identity,
  phone text not null,
  state text not null default 'none'::text,
  last_changed timestamp with time zone not null,
  consent_requests integer not null default 0,
  requested_at timestamp with time zone,
  reminded boolean not null default false,
  helped_at timestamp with time zone,
  last_reply_at timestamp with time zone,
  first_texted_at timestamp with time zone,
  date_time_created timestamp with time zone not null,
  stopped_at timestamp with time zone,
  started_at timestamp with time zone,
  held_since timestamp with time zone,
  constraint members_advisor_id_phone_key UNIQUE (advisor_id, phone),
  constraint consent_added TRIGGER DEFERRABLE INITIALLY DEFERRED,
  constraint consent_changed TRIGGER DEFERRABLE INITIALLY DEFERRED,
  constraint members_pkey PRIMARY KEY (advisor_id, member_id),
  constraint members_state_check CHECK ((state = ANY (ARRAY['none'::text, 'pending'::text, 'accepted'::text, 'opted_out'::text])))
) with (fillfactor=80);

create table memberships (
  advisor_id bigint not null,
  group_id bigint not null,
  contact_id bigint not null,
  constraint memberships_pkey PRIMARY KEY (advisor_id, group_id, contact_id),
  constraint memberships_advisor_id_contact_id_fkey FOREIGN KEY (advisor_id, contact_id) REFERENCES contacts(advisor_id, contact_id)
);

create table messages (
  advisor_id bigint not null,
  message_id bigint not null,
  member_id bigint not null,
  kind text not null,
  archive_number bigint not null,
  status text not null,
  rare_status text generated always as (
CASE
    WHEN (status = ANY (ARRAY['undelivered'::text, 'failed'::text, 'in_doubt'::text, 'held'::text, 'awaiting_consent'::text])) THEN status
    ELSE NULL::text
END) stored,
  segments smallint not null,
  encoding text not null,
  failure_code text,
  attempt smallint not null default 0,
  carrier_message_id text,
  scheduled_message_id bigint,
  date_time_created timestamp with time zone not null,
  date_time_sent timestamp with time zone,
  date_time_delivered timestamp with time zone,
  date_time_ended timestamp with time zone,
  held_reason text,
  waited_for text,
  late_at timestamp with time zone generated always as (
CASE
    WHEN ((COALESCE(date_time_sent, date_time_ended) - date_time_created) > '00:01:00'::interval) THEN COALESCE(date_time_sent, date_time_ended)
    WHEN ((COALESCE(date_time_sent, date_time_ended) IS NULL) AND (waited_for IS NOT NULL)) THEN 'infinity'::timestamp with time zone
    ELSE NULL::timestamp with time zone
END) stored,
  carrier_id smallint,
  constraint messages_pkey PRIMARY KEY (advisor_id, message_id),
  constraint messages_held_reason_check CHECK ((((held_reason IS NOT NULL) = (status = 'held'::text)) AND (held_reason = ANY (ARRAY['supervision'::text, 'possible_opt_out'::text])))),
  constraint messages_waited_for_check CHECK ((waited_for = ANY (ARRAY['consent'::text, 'decision'::text, 'hours'::text])))
) with (fillfactor=38);

create table migrations (
  name text not null,
  sha256 text not null,
  date_time_applied timestamp with time zone not null default now(),
  constraint migrations_pkey PRIMARY KEY (name)
);

create table nodes (
  node text not null,
  role text not null,
  date_time_started timestamp with time zone not null,
  date_time_seen timestamp with time zone not null,
  halted text,
  constraint nodes_pkey PRIMARY KEY (node)
) with (fillfactor=50);

create table number_lookups (
  phone text not null,
  carrier_id smallint not null,
  line_type text,
  valid_until timestamp with time zone,
  failures smallint not null default 0,
  not_before timestamp with time zone,
  constraint number_lookups_pkey PRIMARY KEY (phone),
  constraint number_lookups_line_type_check CHECK ((line_type = ANY (ARRAY['mobile'::text, 'landline'::text, 'unreachable'::text, 'unknown'::text])))
);

create table oauth_tokens (
  token_hash bytea not null,
  kind text not null,
  grant_id text not null,
  payload jsonb not null,
  date_time_expires timestamp with time zone not null,
  date_time_used timestamp with time zone,
  successor_hash bytea,
  response bytea,
  constraint oauth_tokens_pkey PRIMARY KEY (token_hash),
  constraint oauth_tokens_kind_check CHECK ((kind = ANY (ARRAY['AuthorizationCode'::text, 'RefreshToken'::text])))
);

create table passkey_challenges (
  challenge_hash bytea not null,
  advisor_id bigint,
  date_time_expires timestamp with time zone not null,
  staff_id bigint,
  constraint passkey_challenges_pkey PRIMARY KEY (challenge_hash),
  constraint passkey_challenges_advisor_id_fkey FOREIGN KEY (advisor_id) REFERENCES advisors(advisor_id),
  constraint passkey_challenges_staff_id_fkey FOREIGN KEY (staff_id) REFERENCES staff(staff_id)
);

create table passkeys (
  advisor_id bigint,
  passkey_id text not null,
  name text not null,
  public_key bytea not null,
  counter bigint not null,
  transports text[] not null,
  date_time_created timestamp with time zone not null,
  date_time_used timestamp with time zone,
  staff_id bigint,
  constraint passkeys_pkey PRIMARY KEY (passkey_id),
  constraint passkeys_advisor_id_fkey FOREIGN KEY (advisor_id) REFERENCES advisors(advisor_id),
  constraint passkeys_staff_id_fkey FOREIGN KEY (staff_id) REFERENCES staff(staff_id),
  constraint passkeys_owner CHECK ((num_nonnulls(advisor_id, staff_id) = 1))
);

create table pending_actions (
  advisor_id bigint not null,
  action_id bigint not null,
  kind text not null,
  target_ids bigint[] not null,
  detail text,
  due_at timestamp with time zone not null,
  constraint pending_actions_pkey PRIMARY KEY (advisor_id, action_id),
  constraint pending_actions_advisor_id_fkey FOREIGN KEY (advisor_id) REFERENCES advisors(advisor_id)
);

create table replies (
  advisor_id bigint not null,
  reply_id bigint not null generated always as identity,
  member_id bigint,
  archive_number bigint not null,
  carrier_message_id text not null,
  date_time_created timestamp with time zone not null,
  carrier_id smallint not null,
  constraint replies_pkey PRIMARY KEY (advisor_id, reply_id)
);

create table reply_media (
  advisor_id bigint not null,
  reply_number bigint not null,
  place smallint not null,
  member_id bigint,
  carrier_id smallint not null,
  url text,
  content_type text not null,
  media_number bigint,
  size integer not null default 0,
  failures smallint not null default 0,
  not_before timestamp with time zone,
  date_time_created timestamp with time zone not null,
  constraint reply_media_pkey PRIMARY KEY (advisor_id, reply_number, place)
);

create table retentions (
  retention_id bigint not null generated always as identity,
  firm_id bigint not null,
  years smallint not null,
  counts_from timestamp with time zone,
  date_time_created timestamp with time zone not null,
  constraint retentions_pkey PRIMARY KEY (retention_id),
  constraint retentions_firm_id_fkey FOREIGN KEY (firm_id) REFERENCES firms(firm_id),
  constraint retentions_years_check CHECK (((years >= 1) AND (years <= 100)))
);

create table review_samples (
  firm_id bigint not null,
  day date not null,
  date_time_created timestamp with time zone not null,
  constraint review_samples_pkey PRIMARY KEY (firm_id, day),
  constraint review_samples_firm_id_fkey FOREIGN KEY (firm_id) REFERENCES firms(firm_id)
);

create table reviews (
  advisor_id bigint not null,
  review_id bigint not null generated always as identity,
  firm_id bigint not null,
  kind text not null,
  member_id bigint,
  archive_number bigint not null,
  status text not null default 'open'::text,
  date_time_created timestamp with time zone not null,
  message_id bigint,
  rules text[] not null default '{}'::text[],
  lexicon_version integer,
  decided_by bigint,
  decided_at timestamp with time zone,
  assigned_to bigint,
  escalated_at timestamp with time zone,
  constraint reviews_pkey PRIMARY KEY (advisor_id, review_id),
  constraint reviews_assigned_to_fkey FOREIGN KEY (assigned_to) REFERENCES staff(staff_id),
  constraint reviews_decided_by_fkey FOREIGN KEY (decided_by) REFERENCES staff(staff_id),
  constraint reviews_firm_id_fkey FOREIGN KEY (firm_id) REFERENCES firms(firm_id),
  constraint reviews_kind_check CHECK ((kind = ANY (ARRAY['possible_opt_out'::text, 'opt_out_wording'::text, 'out_of_order'::text, 'misdirected'::text, 'held'::text, 'flagged'::text, 'blocked'::text, 'sample'::text]))),
  constraint reviews_status_check CHECK ((status = ANY (ARRAY['open'::text, 'approved'::text, 'rejected'::text])))
);

create table revoked_tokens (
  token_id text not null,
  date_time_expires timestamp with time zone not null,
  constraint revoked_tokens_pkey PRIMARY KEY (token_id)
);

create table sandbox_clock (
  only_row boolean not null default true,
  offset_ms bigint not null,
  resets integer not null default 0,
  resetting_until timestamp with time zone,
  constraint sandbox_clock_pkey PRIMARY KEY (only_row),
  constraint sandbox_clock_only_row_check CHECK (only_row)
);

create table saved_replies (
  advisor_id bigint not null,
  saved_reply_id bigint not null generated always as identity,
  title text collate "und-x-icu" not null,
  text text not null,
  constraint saved_replies_pkey PRIMARY KEY (advisor_id, saved_reply_id)
);

create table saved_searches (
  search_id bigint not null generated always as identity,
  firm_id bigint not null,
  staff_id bigint not null,
  search jsonb not null,
  date_time_created timestamp with time zone not null,
  constraint saved_searches_pkey PRIMARY KEY (search_id),
  constraint saved_searches_firm_id_fkey FOREIGN KEY (firm_id) REFERENCES firms(firm_id),
  constraint saved_searches_staff_id_fkey FOREIGN KEY (staff_id) REFERENCES staff(staff_id)
);

create table scheduled_messages (
  advisor_id bigint not null,
  scheduled_message_id bigint not null generated always as identity,
  member_id bigint not null,
  text text not null,
  first_date timestamp with time zone not null,
  time_zone text not null,
  frequency smallint not null,
  delivery_date timestamp with time zone not null,
  status text not null,
  reason text,
  actor text not null,
  trace_id text,
  date_time_created timestamp with time zone not null,
  constraint scheduled_messages_pkey PRIMARY KEY (advisor_id, scheduled_message_id),
  constraint scheduled_messages_status_check CHECK ((status = ANY (ARRAY['scheduled'::text, 'skipped'::text, 'completed'::text, 'canceled'::text])))
);

create table sessions (
  session_hash bytea not null,
  advisor_id bigint,
  method text not null,
  browser text not null,
  date_time_created timestamp with time zone not null,
  date_time_seen timestamp with time zone not null,
  date_time_expires timestamp with time zone not null,
  staff_id bigint,
  constraint sessions_pkey PRIMARY KEY (session_hash),
  constraint sessions_advisor_id_fkey FOREIGN KEY (advisor_id) REFERENCES advisors(advisor_id),
  constraint sessions_staff_id_fkey FOREIGN KEY (staff_id) REFERENCES staff(staff_id),
  constraint sessions_method_check CHECK ((method = ANY (ARRAY['password'::text, 'passkey'::text, 'sandbox'::text]))),
  constraint sessions_owner CHECK ((num_nonnulls(advisor_id, staff_id) = 1))
);

create table sign_in_failures (
  account_hash bytea not null,
  advisor_id bigint,
  method text not null,
  address text not null,
  trace_id text,
  failures integer not null,
  first_failed timestamp with time zone not null,
  last_failed timestamp with time zone not null,
  staff_id bigint,
  constraint sign_in_failures_pkey PRIMARY KEY (account_hash)
);

create table signatures (
  advisor_id bigint not null,
  text text not null,
  constraint signatures_pkey PRIMARY KEY (advisor_id)
);

create table signing_keys (
  kid text not null,
  jwk jsonb not null,
  date_time_created timestamp with time zone not null,
  date_time_signs timestamp with time zone not null,
  sealed_private_part bytea,
  constraint signing_keys_pkey PRIMARY KEY (kid),
  constraint signing_keys_sealed CHECK (((sealed_private_part IS NULL) OR (NOT (jwk ? 'd'::text))))
);

create table staff (
  staff_id bigint not null generated always as identity,
  firm_id bigint,
  name text not null,
  email text not null,
  role text not null,
  disabled boolean not null default false,
  date_time_created timestamp with time zone not null,
  date_time_reinvited timestamp with time zone,
  constraint staff_pkey PRIMARY KEY (staff_id),
  constraint staff_firm_id_fkey FOREIGN KEY (firm_id) REFERENCES firms(firm_id),
  constraint staff_firm CHECK (((firm_id IS NULL) = (role = 'operator'::text))),
  constraint staff_role_check CHECK ((role = ANY (ARRAY['reviewer'::text, 'compliance_officer'::text, 'operator'::text])))
);

create table suspended_provisions (
  advisor_id bigint not null,
  application_id bigint not null,
  constraint suspended_provisions_pkey PRIMARY KEY (advisor_id, application_id)
);

create table text_counts (
  advisor_id bigint not null,
  up_to timestamp with time zone not null,
  texts bigint not null,
  constraint text_counts_pkey PRIMARY KEY (advisor_id),
  constraint text_counts_advisor_id_fkey FOREIGN KEY (advisor_id) REFERENCES advisors(advisor_id)
);

create table throttles (
  bucket_hash bytea not null,
  attempts_left double precision not null,
  date_time_filled timestamp with time zone not null,
  constraint throttles_pkey PRIMARY KEY (bucket_hash)
);

create table traffic (
  grain text not null,
  date_time timestamp with time zone not null,
  kind text not null,
  subject_id bigint not null,
  outcome text not null,
  amount integer not null,
  latencies integer[] not null,
  constraint traffic_pkey PRIMARY KEY (grain, kind, date_time, subject_id, outcome),
  constraint traffic_grain_check CHECK ((grain = ANY (ARRAY['minute'::text, 'hour'::text, 'day'::text]))),
  constraint traffic_kind_check CHECK ((kind = ANY (ARRAY['request'::text, 'all_requests'::text, 'text'::text])))
) with (fillfactor=50);

create table unmatched_receipts (
  advisor_id bigint not null default 0,
  carrier_id smallint not null,
  carrier_message_id text not null,
  status text not null,
  code text,
  reference integer,
  from_number text,
  to_number text,
  date_time_created timestamp with time zone not null,
  failure_code text,
  constraint unmatched_receipts_pkey PRIMARY KEY (carrier_id, carrier_message_id, advisor_id)
);

create table webhook_deliveries (
  delivery_id bigint not null generated always as identity,
  webhook_id bigint not null,
  url text not null,
  advisor_id bigint,
  event_id text not null,
  type text not null,
  body text not null,
  signature text not null,
  attempt integer not null,
  status smallint,
  response text not null,
  duration_ms integer not null,
  date_time timestamp with time zone not null,
  constraint webhook_deliveries_pkey PRIMARY KEY (delivery_id)
);

create table webhook_streams (
  webhook_id bigint not null,
  advisor_id bigint not null,
  feed text not null,
  number bigint not null,
  contact_id bigint,
  ends_at bigint,
  failures integer not null default 0,
  failing_since timestamp with time zone,
  not_before timestamp with time zone not null default '-infinity'::timestamp with time zone,
  leased_until timestamp with time zone,
  behind boolean not null default false,
  constraint webhook_streams_pkey PRIMARY KEY (webhook_id, advisor_id, feed),
  constraint webhook_streams_advisor_id_fkey FOREIGN KEY (advisor_id) REFERENCES advisors(advisor_id),
  constraint webhook_streams_webhook_id_fkey FOREIGN KEY (webhook_id) REFERENCES webhooks(webhook_id) ON DELETE CASCADE,
  constraint webhook_streams_feed_check CHECK ((feed = ANY (ARRAY['events'::text, 'changes'::text])))
);

create table webhooks (
  webhook_id bigint not null generated always as identity,
  application_id bigint not null,
  url text not null,
  types text[],
  sealed_secret bytea not null,
  sealed_old_secret bytea,
  old_secret_until timestamp with time zone,
  disabled_at timestamp with time zone,
  disabled_reason text,
  listened_until timestamp with time zone,
  date_time_created timestamp with time zone not null,
  constraint webhooks_application_id_url_key UNIQUE (application_id, url),
  constraint webhooks_pkey PRIMARY KEY (webhook_id),
  constraint webhooks_application_id_fkey FOREIGN KEY (application_id) REFERENCES applications(application_id)
);

create table wordings (
  firm_id bigint not null,
  kind text not null,
  version integer not null,
  text text not null,
  date_time_created timestamp with time zone not null,
  constraint wordings_pkey PRIMARY KEY (firm_id, kind, version),
  constraint wordings_firm_id_fkey FOREIGN KEY (firm_id) REFERENCES firms(firm_id)
);

CREATE UNIQUE INDEX advisors_email ON public.advisors USING btree (lower(email));

CREATE UNIQUE INDEX advisors_texting_number ON public.advisors USING btree (texting_number);

CREATE INDEX alert_deliveries_due ON public.alert_deliveries USING btree (not_before) WHERE (not_before IS NOT NULL);

CREATE INDEX alert_deliveries_target ON public.alert_deliveries USING btree (target_id);

CREATE INDEX alert_deliveries_time ON public.alert_deliveries USING btree (date_time_created);

CREATE INDEX archive_checkpoints_size ON public.archive_checkpoints USING btree (size, checkpoint_id);

CREATE INDEX archive_checkpoints_time ON public.archive_checkpoints USING btree (date_time_created);

CREATE INDEX archive_entries_audit ON public.archive_entries USING btree (date_time_created, advisor_id, number) WHERE (kind = ANY (ARRAY['setting'::text, 'staff'::text, 'sign_in'::text, 'text_read'::text, 'retention'::text, 'hold'::text, 'disposal'::text, 'export'::text]));

CREATE INDEX archive_entries_consent ON public.archive_entries USING btree (advisor_id, member_id, number) INCLUDE (consent_state, consent_phone) WHERE (kind = 'consent'::text);

CREATE INDEX archive_entries_outcome ON public.archive_entries USING btree (message_id) WHERE (kind = 'outcome'::text);

CREATE INDEX archive_entries_review ON public.archive_entries USING btree (advisor_id, member_id, number) WHERE (kind = 'review'::text);

CREATE INDEX archive_entries_rules ON public.archive_entries USING btree (advisor_id, number) WHERE (kind = ANY (ARRAY['disposal'::text, 'hold'::text, 'retention'::text]));

CREATE INDEX archive_entries_setting ON public.archive_entries USING btree (advisor_id, number) WHERE (kind = ANY (ARRAY['setting'::text, 'staff'::text]));

CREATE INDEX archive_entries_time ON public.archive_entries USING brin (date_time_created) WITH (autosummarize='on');

CREATE INDEX archive_words_words ON public.archive_words USING gin (words);

CREATE INDEX attempts_time ON public.attempts USING brin (date_time_started) WITH (autosummarize='on');

CREATE INDEX broadcast_recipients_waiting ON public.broadcast_recipients USING btree (advisor_id, broadcast_id, place) WHERE (state = 'waiting'::text);

CREATE INDEX broadcasts_due ON public.broadcasts USING btree (due_at, broadcast_id) WHERE (status = 'sending'::text);

CREATE INDEX claims_leased ON public.claims USING btree (leased_until);

CREATE UNIQUE INDEX contact_imports_one ON public.contact_imports USING btree (advisor_id) WHERE (status = 'running'::text);

CREATE INDEX contact_imports_running ON public.contact_imports USING btree (leased_until) WHERE (status = 'running'::text);

CREATE INDEX contacts_created ON public.contacts USING btree (advisor_id, date_time_created, contact_id) INCLUDE (date_time_modified);

CREATE INDEX contacts_email ON public.contacts USING btree (advisor_id, email_order, contact_id) INCLUDE (date_time_modified);

CREATE INDEX contacts_email_status ON public.contacts USING btree (advisor_id, email_status, contact_id) INCLUDE (date_time_modified);

CREATE INDEX contacts_full_name ON public.contacts USING btree (advisor_id, full_name, contact_id) INCLUDE (date_time_modified, phone);

CREATE INDEX contacts_group_count ON public.contacts USING btree (advisor_id, group_count, contact_id) INCLUDE (date_time_modified);

CREATE INDEX contacts_modified ON public.contacts USING btree (advisor_id, date_time_modified, contact_id) INCLUDE (phone);

CREATE INDEX contacts_phone ON public.contacts USING btree (advisor_id, phone, contact_id) WHERE (phone IS NOT NULL);

CREATE INDEX contacts_remote ON public.contacts USING btree (advisor_id, remote_contact_id) WHERE (remote_contact_id IS NOT NULL);

CREATE INDEX contacts_search ON public.contacts USING gin (advisor_id, search_keys);

CREATE INDEX contacts_source ON public.contacts USING btree (advisor_id, source, contact_id) INCLUDE (date_time_modified);

CREATE INDEX content_items_title ON public.content_items USING btree (title, content_id) INCLUDE (firm_id, type) WHERE (status = 'published'::text);

CREATE INDEX content_search_everyones ON public.content_search USING gin (words) WITH (gin_pending_list_limit='512') WHERE (firm_id IS NULL);

CREATE INDEX content_search_firms ON public.content_search USING gin (firm_id, words) WITH (gin_pending_list_limit='512') WHERE (firm_id IS NOT NULL);

CREATE INDEX content_words_near ON public.content_words USING gin (word gin_trgm_ops) WITH (gin_pending_list_limit='64');

CREATE INDEX crm_lookups_ready ON public.crm_lookups USING btree (not_before);

CREATE INDEX devices_advisor ON public.devices USING btree (advisor_id, date_time_expires);

CREATE INDEX devices_expires ON public.devices USING btree (date_time_expires);

CREATE INDEX dispatches_deferred ON public.dispatches USING btree (deferred_until) WHERE (deferred_until IS NOT NULL);

CREATE INDEX dispatches_expiry ON public.dispatches USING btree (expires_at);

CREATE INDEX dispatches_ready ON public.dispatches USING btree (carrier_id, not_before, message_id) WHERE (deferred_until IS NULL);

CREATE INDEX earlier_numbers_left ON public.earlier_numbers USING btree (left_at);

CREATE INDEX exports_due ON public.exports USING btree (export_id) WHERE (status = ANY (ARRAY['waiting'::text, 'running'::text, 'ready'::text]));

CREATE INDEX grants_application ON public.grants USING btree (application_id);

CREATE INDEX handset_messages_phone ON public.handset_messages USING btree (phone, handset_message_id);

CREATE INDEX handset_messages_time ON public.handset_messages USING brin (date_time_created) WITH (autosummarize='on');

CREATE INDEX holds_firm ON public.holds USING btree (firm_id);

CREATE INDEX idempotent_responses_created ON public.idempotent_responses USING btree (date_time_created);

CREATE INDEX interactions_expires ON public.interactions USING btree (date_time_expires);

CREATE INDEX invitations_expires ON public.invitations USING btree (date_time_expires);

CREATE INDEX members_consent ON public.members USING btree (advisor_id, state, phone) WHERE (state <> 'none'::text);

CREATE INDEX members_stopped ON public.members USING btree (phone) WHERE (stopped_at IS NOT NULL);

CREATE INDEX memberships_contact ON public.memberships USING btree (advisor_id, contact_id, group_id);

CREATE INDEX messages_awaiting ON public.messages USING btree (advisor_id, member_id, message_id) WHERE (rare_status = 'awaiting_consent'::text);

CREATE INDEX messages_created ON public.messages USING brin (date_time_created);

CREATE INDEX messages_held ON public.messages USING btree (advisor_id, member_id, message_id) WHERE (rare_status = 'held'::text);

CREATE INDEX messages_in_doubt ON public.messages USING btree (message_id) WHERE (rare_status = 'in_doubt'::text);

CREATE INDEX messages_lapsing ON public.messages USING btree (date_time_created) WHERE (rare_status = 'awaiting_consent'::text);

CREATE INDEX messages_late ON public.messages USING btree (advisor_id, member_id, late_at) WHERE (late_at IS NOT NULL);

CREATE INDEX messages_list ON public.messages USING btree (advisor_id, date_time_created, message_id) WHERE (kind = 'text'::text);

CREATE INDEX messages_member ON public.messages USING btree (advisor_id, member_id, date_time_created, message_id) WHERE (kind = 'text'::text);

CREATE INDEX messages_other_list ON public.messages USING btree (advisor_id, date_time_created, member_id) WHERE (kind <> 'text'::text);

CREATE INDEX messages_other_member ON public.messages USING btree (advisor_id, member_id, date_time_created, message_id) WHERE (kind <> 'text'::text);

CREATE INDEX messages_schedule ON public.messages USING btree (advisor_id, scheduled_message_id, date_time_created, message_id) WHERE ((kind = 'text'::text) AND (scheduled_message_id IS NOT NULL));

CREATE INDEX messages_sent ON public.messages USING brin (date_time_sent) WITH (autosummarize='on');

CREATE INDEX messages_troubled ON public.messages USING btree (advisor_id, rare_status, date_time_created, message_id) WHERE ((kind = 'text'::text) AND (rare_status IS NOT NULL));

CREATE INDEX number_lookups_due ON public.number_lookups USING btree (carrier_id, not_before) WHERE (not_before IS NOT NULL);

CREATE INDEX number_lookups_old ON public.number_lookups USING btree (valid_until) WHERE (not_before IS NULL);

CREATE INDEX oauth_tokens_expires ON public.oauth_tokens USING btree (date_time_expires);

CREATE INDEX oauth_tokens_grant ON public.oauth_tokens USING btree (grant_id);

CREATE INDEX oauth_tokens_responses ON public.oauth_tokens USING btree (date_time_used) WHERE (response IS NOT NULL);

CREATE INDEX passkey_challenges_expires ON public.passkey_challenges USING btree (date_time_expires);

CREATE INDEX passkeys_advisor ON public.passkeys USING btree (advisor_id);

CREATE INDEX passkeys_staff ON public.passkeys USING btree (staff_id);

CREATE INDEX pending_actions_due ON public.pending_actions USING btree (due_at);

CREATE INDEX replies_carrier ON public.replies USING btree (advisor_id, carrier_message_id);

CREATE INDEX replies_list ON public.replies USING btree (advisor_id, date_time_created, member_id);

CREATE INDEX replies_member ON public.replies USING btree (advisor_id, member_id, date_time_created, reply_id);

CREATE INDEX replies_time ON public.replies USING brin (date_time_created) WITH (autosummarize='on');

CREATE INDEX reply_media_due ON public.reply_media USING btree (carrier_id, not_before) WHERE (not_before IS NOT NULL);

CREATE INDEX retentions_firm ON public.retentions USING btree (firm_id, retention_id);

CREATE INDEX reviews_assigned ON public.reviews USING btree (assigned_to, review_id) WHERE ((status = 'open'::text) AND (assigned_to IS NOT NULL));

CREATE INDEX reviews_created ON public.reviews USING btree (firm_id, date_time_created);

CREATE INDEX reviews_decided ON public.reviews USING btree (firm_id, decided_at) WHERE (status <> 'open'::text);

CREATE INDEX reviews_escalated ON public.reviews USING btree (firm_id, review_id) WHERE ((status = 'open'::text) AND (escalated_at IS NOT NULL));

CREATE INDEX reviews_id ON public.reviews USING btree (review_id);

CREATE INDEX reviews_open ON public.reviews USING btree (firm_id, review_id) WHERE (status = 'open'::text);

CREATE INDEX reviews_open_kind ON public.reviews USING btree (firm_id, kind, review_id) WHERE (status = 'open'::text);

CREATE INDEX revoked_tokens_expires ON public.revoked_tokens USING btree (date_time_expires);

CREATE INDEX scheduled_messages_due ON public.scheduled_messages USING btree (delivery_date, scheduled_message_id) WHERE (status = 'scheduled'::text);

CREATE INDEX scheduled_messages_list ON public.scheduled_messages USING btree (advisor_id, status, delivery_date, scheduled_message_id);

CREATE INDEX scheduled_messages_member ON public.scheduled_messages USING btree (advisor_id, member_id) WHERE (status = 'scheduled'::text);

CREATE INDEX sessions_advisor ON public.sessions USING btree (advisor_id);

CREATE INDEX sessions_expires ON public.sessions USING btree (date_time_expires);

CREATE INDEX sessions_staff ON public.sessions USING btree (staff_id);

CREATE UNIQUE INDEX staff_email ON public.staff USING btree (lower(email), firm_id) NULLS NOT DISTINCT;

CREATE INDEX throttles_filled ON public.throttles USING btree (date_time_filled);

CREATE INDEX webhook_deliveries_time ON public.webhook_deliveries USING btree (date_time);

CREATE INDEX webhook_deliveries_webhook ON public.webhook_deliveries USING btree (webhook_id, delivery_id);

CREATE INDEX webhook_streams_advisor ON public.webhook_streams USING btree (advisor_id);

CREATE INDEX webhook_streams_behind ON public.webhook_streams USING btree (webhook_id, not_before) WHERE behind;

CREATE OR REPLACE FUNCTION public.add_hold(of_firm bigint, of_advisor bigint, of_member bigint, why text, by_staff bigint, by_trace text, by_via text)
 RETURNS bigint
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO 'public', 'pg_temp'
AS $function$
declare
  new_hold bigint;
begin
  perform from firms where firm_id = of_firm for update;
  insert into holds (firm_id, advisor_id, member_id, reason, staff_id, date_time_created)
  values (of_firm, of_advisor, of_member, why, by_staff, domain_now())
  returning hold_id into new_hold;
  perform write_hold_entry(new_hold, 'added', why, by_staff, by_trace, by_via);
  return new_hold;
end
$function$;

CREATE OR REPLACE FUNCTION public.disposable_bodies(of_advisor bigint, after_number bigint, bodies_max integer)
 RETURNS TABLE(body_number bigint, is_old boolean, is_disposable boolean)
 LANGUAGE plpgsql
 STABLE
AS $function$
declare
  of_firm bigint;
  kept_for interval;
  kept_from timestamptz;
  recorded_from timestamptz;
  signed_size bigint;
  settled timestamptz := settled_until();
begin
  select firm_id into of_firm from advisors where advisor_id = of_advisor;
  if not found then
    return;
  end if;
  kept_for := make_interval(years => retention_years(of_firm));
  kept_from := domain_now() - kept_for;
  recorded_from := now() - kept_for;
  select size
  into signed_size
  from archive_checkpoints
  where date_time_created <= (
    select (date_time_created at time zone 'UTC' - kept_for) at time zone 'UTC'
    from archive_checkpoints
    order by checkpoint_id desc
    limit 1
  )
  order by date_time_created desc
  limit 1;
  return query
    with page as materialized (
      select number
      from archive_bodies
      where advisor_id = of_advisor and number > after_number
      order by number
      limit least(bodies_max, 10000)
    ),
    aged as materialized (
      select
        e.number, e.kind, e.member_id, e.message_id,
        e.date_time_created < kept_from
          and coalesce(e.recorded_at, e.date_time_created) < recorded_from
          and coalesce(
            (
              select r.first_leaf + e.number - r.first_number < signed_size and e.number < r.first_number + r.entries
              from archive_runs r
              where r.advisor_id = of_advisor and r.first_number <= e.number
              order by r.first_number desc
              limit 1
            ),
            false
          ) as old
      from page
      join archive_entries e on e.advisor_id = of_advisor and e.number = page.number
    )
    select
      e.number,
      e.old,
      e.old
        and e.kind in ('text_out', 'text_in', 'consent', 'schedule', 'broadcast', 'review', 'export', 'merge', 'sign_in', 'media_in')
        and not exists (
          select
          from holds h
          where h.firm_id = of_firm
            and (h.advisor_id is null or h.advisor_id = of_advisor)
            and (h.member_id is null or h.member_id = e.member_id)
            and not exists (select from hold_lifts l where l.hold_id = h.hold_id and l.counts_from <= settled)
        )
        and not exists (
          select
          from messages t
          where t.advisor_id = of_advisor
            and t.message_id = e.message_id
            and t.status in ('queued', 'submitting', 'held')
        )
        and coalesce(in_force.state, 'none') = 'none'
    from aged e
    left join lateral (
      select c.meta::json ->> 'to' as state
      from archive_entries c
      left join archive_bodies b on b.advisor_id = of_advisor and b.number = c.number
      where c.advisor_id = of_advisor
        and c.number = (
          select changed.number
          from archive_entries changed
          where changed.advisor_id = of_advisor
            and changed.member_id = e.member_id
            and changed.kind = 'consent'
            and changed.meta::json ->> 'from' <> changed.meta::json ->> 'to'
          order by changed.number desc
          limit 1
        )
        and case e.kind
          when 'consent' then e.number >= c.number
          else e.number = (convert_from(b.body, 'UTF8')::json #>> '{reply,archiveNumber}')::bigint
        end
    ) as in_force on e.kind in ('consent', 'text_in') and e.old
    order by e.number;
end
$function$;

CREATE OR REPLACE FUNCTION public.dispose_bodies(of_advisor bigint, after_number bigint, bodies_max integer, by_actor text)
 RETURNS TABLE(body_number bigint, is_old boolean, is_disposed boolean)
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO 'public', 'pg_temp'
AS $function$
declare
  numbers bigint[] := '{}';
  olds boolean[] := '{}';
  due bigint[] := '{}';
  gone bigint[] := '{}';
  of_firm bigint := (select firm_id from advisors where advisor_id = of_advisor);
begin
  if current_setting('transaction_isolation') <> 'read committed' then
    raise exception 'bodies are disposed of in read committed only' using errcode = 'insufficient_privilege';
  end if;
  perform from firms f join advisors a using (firm_id) where a.advisor_id = of_advisor for share of f;
  select
    coalesce(array_agg(d.body_number order by d.body_number), '{}'),
    coalesce(array_agg(d.is_old order by d.body_number), '{}'),
    coalesce(array_agg(d.body_number) filter (where d.is_disposable), '{}')
  into numbers, olds, due
  from disposable_bodies(of_advisor, after_number, bodies_max) d;
  if cardinality(due) > 0 then
    perform set_config('assent.disposing', 'on', true) from archive_heads where advisor_id = of_advisor;
    with deleted as (
      delete from archive_bodies
      where advisor_id = of_advisor and number = any (due)
      returning number
    )
    select coalesce(array_agg(number order by number), '{}')
    into gone
    from deleted;
    delete from archive_words w
    using archive_entries e
    where e.advisor_id = of_advisor
      and e.number = any (gone)
      and w.firm_id = of_firm
      and w.date_time_created = date_trunc('milliseconds', e.date_time_created at time zone 'UTC') at time zone 'UTC'
      and w.advisor_id = of_advisor
      and w.number = e.number;
    perform set_config('assent.disposing', 'off', true) from archive_heads where advisor_id = of_advisor;
  end if;
  if cardinality(gone) > 0 then
    perform write_disposal_entry(of_advisor, gone, by_actor);
  end if;
  return query
    select looked.number, looked.old, disposed.number is not null
    from unnest(numbers, olds) as looked (number, old)
    left join unnest(gone) as disposed (number) on disposed.number = looked.number
    order by looked.number;
end
$function$;

CREATE OR REPLACE FUNCTION public.domain_now()
 RETURNS timestamp with time zone
 LANGUAGE sql
 STABLE
AS $function$
  select now() + (select offset_ms from sandbox_clock) * interval '1 millisecond'
$function$;

CREATE OR REPLACE FUNCTION public.empty_contact_search_list()
 RETURNS void
 LANGUAGE sql
 SECURITY DEFINER
 SET search_path TO 'public', 'pg_temp'
AS $function$
  select gin_clean_pending_list('contacts_search');
$function$;

CREATE OR REPLACE FUNCTION public.freed_from()
 RETURNS timestamp with time zone
 LANGUAGE sql
 STABLE
AS $function$
  select date_trunc('milliseconds', now() at time zone 'UTC') at time zone 'UTC' + interval '168 hours'
$function$;

CREATE OR REPLACE FUNCTION public.instant_of(at timestamp with time zone)
 RETURNS text
 LANGUAGE sql
 STABLE
AS $function$
  select to_char(at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')
$function$;

CREATE OR REPLACE FUNCTION public.lift_hold(of_hold bigint, why text, by_staff bigint, by_trace text, by_via text)
 RETURNS boolean
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO 'public', 'pg_temp'
AS $function$
begin
  perform from firms f join holds h using (firm_id) where h.hold_id = of_hold for update of f;
  insert into hold_lifts (hold_id, reason, staff_id, counts_from, date_time_created)
  values (of_hold, why, by_staff, freed_from(), domain_now())
  on conflict do nothing;
  if not found then
    return false;
  end if;
  perform write_hold_entry(of_hold, 'lifted', why, by_staff, by_trace, by_via);
  return true;
end
$function$;

CREATE OR REPLACE FUNCTION public.near_content_words(asked text, word_limit integer)
 RETURNS SETOF text
 LANGUAGE sql
 STABLE
 SET "pg_trgm.similarity_threshold" TO '0.25'
AS $function$
  select word
  from (
    select word
    from content_words
    where word % asked
    union
    select word
    from content_words
    where length(asked) <= 5
      and word >= left(asked, 1)
      and word < left(asked, 1) || chr(1114111)
      and length(word) between length(asked) - 1 and length(asked) + 1
  ) as near
  order by similarity(word, asked) desc, word
  limit word_limit
$function$;

CREATE OR REPLACE FUNCTION public.refuse_body_change()
 RETURNS trigger
 LANGUAGE plpgsql
 SET search_path TO 'pg_catalog', 'pg_temp'
AS $function$
begin
  if tg_op = 'DELETE'
    and current_setting('assent.disposing', true) = 'on'
    and current_user = (select pg_get_userbyid(relowner) from pg_class where oid = tg_relid)
  then
    return null;
  end if;
  raise exception '% is append-only', tg_table_name using errcode = 'insufficient_privilege';
end
$function$;

CREATE OR REPLACE FUNCTION public.refuse_change()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
begin
  raise exception '% is append-only', tg_table_name using errcode = 'insufficient_privilege';
end
$function$;

CREATE OR REPLACE FUNCTION public.refuse_direct_entry()
 RETURNS trigger
 LANGUAGE plpgsql
 SET search_path TO 'pg_catalog', 'pg_temp'
AS $function$
begin
  if current_user = (select pg_get_userbyid(relowner) from pg_class where oid = tg_relid) then
    return new;
  end if;
  if current_setting('session_replication_role') = 'replica' then
    if (select backend_type from pg_stat_get_activity(pg_backend_pid())) like 'logical replication %worker' then
      return new;
    end if;
  end if;
  raise exception 'only a function of the database writes entries of kind %', new.kind
    using errcode = 'insufficient_privilege';
end
$function$;

CREATE OR REPLACE FUNCTION public.refuse_other_firm()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
begin
  raise exception 'an advisor stays with the firm' using errcode = 'insufficient_privilege';
end
$function$;

CREATE OR REPLACE FUNCTION public.refuse_other_number()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
begin
  raise exception 'a member keeps its number' using errcode = 'insufficient_privilege';
end
$function$;

CREATE OR REPLACE FUNCTION public.refuse_unproven_consent()
 RETURNS trigger
 LANGUAGE plpgsql
 SET search_path TO 'public', 'pg_temp'
AS $function$
begin
  if current_setting('session_replication_role') = 'replica' then
    if (select backend_type from pg_stat_get_activity(pg_backend_pid())) like 'logical replication %worker' then
      return null;
    end if;
  end if;
  if (select state from members where advisor_id = new.advisor_id and member_id = new.member_id)
    is distinct from coalesce(
      (
        select consent_state
        from archive_entries
        where advisor_id = new.advisor_id and member_id = new.member_id and kind = 'consent'
        order by number desc
        limit 1
      ),
      'none'
    )
  then
    raise exception 'consent changes only with an entry that says so' using errcode = 'insufficient_privilege';
  end if;
  return null;
end
$function$;

CREATE OR REPLACE FUNCTION public.refuse_untimely_entry()
 RETURNS trigger
 LANGUAGE plpgsql
 SET search_path TO 'public', 'pg_temp'
AS $function$
declare
  apart interval := new.date_time_created - clock_timestamp();
begin
  if current_user = (select pg_get_userbyid(relowner) from pg_class where oid = tg_relid)
    or apart between interval '-20 seconds'
      and interval '20 seconds' + (select offset_ms from sandbox_clock) * interval '1 millisecond'
  then
    return new;
  end if;
  raise exception 'an entry of % is % apart from the database''s clock', new.date_time_created, apart using errcode = '58C00';
end
$function$;

CREATE OR REPLACE FUNCTION public.retention_years(of_firm bigint)
 RETURNS integer
 LANGUAGE sql
 STABLE
AS $function$
  with settled as materialized (
    select settled_until() as until
  ),
  last as (
    select max(retention_id) as id
    from retentions
    where firm_id = of_firm and (counts_from is null or counts_from <= (select until from settled))
  )
  select greatest(
    (select max(years) from retentions where firm_id = of_firm and retention_id >= coalesce((select id from last), 0)),
    case when (select id from last) is null then 7 end
  )
$function$;

CREATE OR REPLACE FUNCTION public.scopes_of_both(had text[], more text[])
 RETURNS text[]
 LANGUAGE sql
 IMMUTABLE
RETURN (had || ARRAY(SELECT unnest(scopes_of_both.more) AS unnest EXCEPT SELECT unnest(scopes_of_both.had) AS unnest));

CREATE OR REPLACE FUNCTION public.set_recorded_at()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
begin
  new.recorded_at := coalesce(new.recorded_at, now());
  return new;
end
$function$;

CREATE OR REPLACE FUNCTION public.set_retention(of_firm bigint, to_years integer, by_actor text, by_trace text)
 RETURNS void
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO 'public', 'pg_temp'
AS $function$
declare
  from_years integer;
  counts timestamptz;
begin
  perform from firms where firm_id = of_firm for update;
  from_years := retention_years(of_firm);
  counts := case when to_years < from_years then freed_from() end;
  insert into retentions (firm_id, years, counts_from, date_time_created)
  values (of_firm, to_years, counts, domain_now());
  perform write_rule_entry(
    0, 'retention', null, by_actor,
    json_strip_nulls(
      json_build_object('what', 'retention set', 'firmId', of_firm, 'years', to_years, 'countsFrom', instant_of(counts))
    ),
    json_build_object('years', json_build_object('from', from_years, 'to', to_years)),
    by_trace
  );
end
$function$;

CREATE OR REPLACE FUNCTION public.settled_until()
 RETURNS timestamp with time zone
 LANGUAGE sql
 STABLE
AS $function$
  select least(
    now(),
    coalesce((select date_time_created from archive_checkpoints order by checkpoint_id desc limit 1), '-infinity')
  )
$function$;

CREATE OR REPLACE FUNCTION public.write_disposal_entry(of_advisor bigint, gone bigint[], by_actor text)
 RETURNS void
 LANGUAGE sql
AS $function$
  select write_rule_entry(
    of_advisor, 'disposal', null, by_actor,
    json_build_object(
      'from', gone[1], 'to', gone[cardinality(gone)], 'count', cardinality(gone),
      'retentionYears', (select retention_years(firm_id) from advisors where advisor_id = of_advisor)
    ),
    json_agg(json_build_array(range.first, range.last) order by range.first)
  )
  from (
    select min(number) as first, max(number) as last
    from unnest(gone) with ordinality as each (number, position)
    group by number - position
  ) as range
$function$;

CREATE OR REPLACE FUNCTION public.write_hold_entry(of_hold bigint, act text, why text, by_staff bigint, by_trace text, by_via text)
 RETURNS void
 LANGUAGE sql
AS $function$
  select write_rule_entry(
    coalesce(advisor_id, 0), 'hold', member_id, 'staff:' || by_staff,
    json_strip_nulls(
      json_build_object(
        'action', act, 'holdId', hold_id, 'firmId', firm_id, 'via', by_via, 'countsFrom', instant_of(counts_from)
      )
    ),
    json_build_object('reason', why, 'by', (select name from staff where staff_id = by_staff)),
    by_trace
  )
  from holds
  left join hold_lifts using (hold_id)
  where hold_id = of_hold
$function$;

CREATE OR REPLACE FUNCTION public.write_rule_entry(of_advisor bigint, entry_kind text, of_member bigint, by_actor text, entry_meta json, entry_body json, by_trace text DEFAULT NULL::text)
 RETURNS void
 LANGUAGE plpgsql
AS $function$
declare
  entry_number bigint;
  salt bytea := uuid_send(gen_random_uuid());
  bytes bytea := convert_to(entry_body::text, 'UTF8');
begin
  if clock_timestamp() < (select latest from database_time) - interval '20 seconds' then
    raise exception 'the database''s clock was set back' using errcode = '58C00';
  end if;
  insert into archive_heads as head (advisor_id, last_number)
  values (of_advisor, 1)
  on conflict (advisor_id) do update
  set last_number = head.last_number + 1
  returning last_number into entry_number;
  insert into archive_bodies (advisor_id, number, salt, body)
  values (of_advisor, entry_number, salt, bytes);
  insert into archive_entries (advisor_id, number, kind, member_id, actor, trace_id, meta, commitment, date_time_created)
  values (
    of_advisor, entry_number, entry_kind, of_member, by_actor, by_trace, entry_meta::text, sha256(salt || bytes), domain_now()
  );
end
$function$;

CREATE TRIGGER firm_stays BEFORE UPDATE OF firm_id ON public.advisors FOR EACH ROW WHEN ((old.firm_id IS DISTINCT FROM new.firm_id)) EXECUTE FUNCTION refuse_other_firm() /* enable always */;

CREATE TRIGGER append_only BEFORE DELETE OR UPDATE OR TRUNCATE ON public.archive_bodies FOR EACH STATEMENT EXECUTE FUNCTION refuse_body_change() /* enable always */;

CREATE TRIGGER append_only BEFORE DELETE OR UPDATE OR TRUNCATE ON public.archive_checkpoints FOR EACH STATEMENT EXECUTE FUNCTION refuse_change() /* enable always */;

CREATE TRIGGER append_only BEFORE DELETE OR UPDATE OR TRUNCATE ON public.archive_deliveries FOR EACH STATEMENT EXECUTE FUNCTION refuse_change() /* enable always */;

CREATE TRIGGER append_only BEFORE DELETE OR UPDATE OR TRUNCATE ON public.archive_entries FOR EACH STATEMENT EXECUTE FUNCTION refuse_change() /* enable always */;

CREATE TRIGGER timely BEFORE INSERT ON public.archive_entries FOR EACH ROW WHEN (((new.date_time_created < (clock_timestamp() - '00:00:20'::interval)) OR (new.date_time_created > (clock_timestamp() + '00:00:20'::interval)))) EXECUTE FUNCTION refuse_untimely_entry();

CREATE TRIGGER written_by_function BEFORE INSERT ON public.archive_entries FOR EACH ROW WHEN ((new.kind = ANY (ARRAY['disposal'::text, 'hold'::text, 'retention'::text]))) EXECUTE FUNCTION refuse_direct_entry() /* enable always */;

CREATE TRIGGER append_only BEFORE DELETE OR UPDATE OR TRUNCATE ON public.archive_runs FOR EACH STATEMENT EXECUTE FUNCTION refuse_change() /* enable always */;

CREATE TRIGGER append_only BEFORE DELETE OR UPDATE OR TRUNCATE ON public.hold_lifts FOR EACH STATEMENT EXECUTE FUNCTION refuse_change() /* enable always */;

CREATE TRIGGER append_only BEFORE DELETE OR UPDATE OR TRUNCATE ON public.holds FOR EACH STATEMENT EXECUTE FUNCTION refuse_change() /* enable always */;

CREATE TRIGGER append_only BEFORE DELETE OR UPDATE OR TRUNCATE ON public.lexicons FOR EACH STATEMENT EXECUTE FUNCTION refuse_change() /* enable always */;

CREATE CONSTRAINT TRIGGER consent_added AFTER INSERT ON public.members DEFERRABLE INITIALLY DEFERRED FOR EACH ROW WHEN ((new.state <> 'none'::text)) EXECUTE FUNCTION refuse_unproven_consent() /* enable always */;

CREATE CONSTRAINT TRIGGER consent_changed AFTER UPDATE OF state ON public.members DEFERRABLE INITIALLY DEFERRED FOR EACH ROW WHEN ((old.state IS DISTINCT FROM new.state)) EXECUTE FUNCTION refuse_unproven_consent() /* enable always */;

CREATE TRIGGER number_stays BEFORE UPDATE OF advisor_id, member_id, phone ON public.members FOR EACH ROW WHEN ((((old.advisor_id IS DISTINCT FROM new.advisor_id) OR (old.member_id IS DISTINCT FROM new.member_id)) OR (old.phone IS DISTINCT FROM new.phone))) EXECUTE FUNCTION refuse_other_number() /* enable always */;

CREATE TRIGGER append_only BEFORE DELETE OR UPDATE OR TRUNCATE ON public.retentions FOR EACH STATEMENT EXECUTE FUNCTION refuse_change() /* enable always */;

CREATE TRIGGER append_only BEFORE DELETE OR UPDATE OR TRUNCATE ON public.wordings FOR EACH STATEMENT EXECUTE FUNCTION refuse_change() /* enable always */;

grant insert, select, update on advisors to assent_app;

grant delete, insert, select, update on alert_deliveries to assent_app;

grant delete, insert, select, update on alert_states to assent_app;

grant delete, insert, select, update on alert_targets to assent_app;

grant delete, insert, select, update on api_key_days to assent_app;

grant insert, select, update on api_keys to assent_app;

grant insert, select, update on applications to assent_app;

grant insert, select on archive_bodies to assent_app;

grant insert, select on archive_checkpoints to assent_app;

grant insert, select on archive_deliveries to assent_app;

grant select on archive_entries to assent_app;

grant insert, select, update on archive_heads to assent_app;

grant insert, select, update on archive_indexed to assent_app;

grant insert, select on archive_runs to assent_app;

grant insert, select, update on archive_taken to assent_app;

grant insert, select, update on archive_tiles to assent_app;

grant insert, select, update on archive_tree to assent_app;

grant insert, select on archive_verifications to assent_app;

grant insert, select on archive_words to assent_app;

grant insert, select, update on attempts to assent_app;

grant insert, select, update on broadcast_recipients to assent_app;

grant insert, select, update on broadcasts to assent_app;

grant delete, insert, select on carrier_records to assent_app;

grant delete, insert, select, update on carrier_status to assent_app;

grant insert, select on carrier_texts to assent_app;

grant delete, insert, select, update on carriers to assent_app;

grant delete, insert, select, update on claims to assent_app;

grant insert, select, update on contact_books to assent_app;

grant delete, insert, select on contact_changes to assent_app;

grant delete, insert, select, update on contact_imports to assent_app;

grant delete, insert, select, update on contacts to assent_app;

grant insert, select, update on content_items to assent_app;

grant delete, insert, select, update on content_search to assent_app;

grant insert, select on content_words to assent_app;

grant insert, select, update on conversations to assent_app;

grant delete, insert, select, update on crm_connections to assent_app;

grant delete, insert, select, update on crm_lookups to assent_app;

grant insert, select, update on daily_runs to assent_app;

grant select, update on database_time to assent_app;

grant delete, insert, select on deleted_groups to assent_app;

grant delete, insert, select, update on devices to assent_app;

grant delete, insert, select, update on dispatches to assent_app;

grant insert, select, update on earlier_numbers to assent_app;

grant delete, insert, select, update on ended_grants to assent_app;

grant delete, insert, select on events to assent_app;

grant delete, insert, select on export_parts to assent_app;

grant insert, select, update on exports to assent_app;

grant insert, select, update on firms to assent_app;

grant delete, insert, select, update on grants to assent_app;

grant delete, insert, select, update on groups to assent_app;

grant insert, select on handset_messages to assent_app;

grant select on hold_lifts to assent_app;

grant select on holds to assent_app;

grant delete, insert, select, update on idempotent_responses to assent_app;

grant delete, insert, select, update on interactions to assent_app;

grant delete, insert, select, update on invitations to assent_app;

grant insert, select on lexicons to assent_app;

grant insert, select, update on members to assent_app;

grant delete, insert, select, update on memberships to assent_app;

grant insert, select, update on messages to assent_app;

grant select on migrations to assent_app;

grant delete, insert, select, update on nodes to assent_app;

grant delete, insert, select, update on number_lookups to assent_app;

grant delete, insert, select, update on oauth_tokens to assent_app;

grant delete, insert, select, update on passkey_challenges to assent_app;

grant delete, insert, select, update on passkeys to assent_app;

grant delete, insert, select, update on pending_actions to assent_app;

grant insert, select on replies to assent_app;

grant insert, select, update on reply_media to assent_app;

grant select on retentions to assent_app;

grant insert, select on review_samples to assent_app;

grant insert, select, update on reviews to assent_app;

grant delete, insert, select, update on revoked_tokens to assent_app;

grant insert, select, update on sandbox_clock to assent_app;

grant delete, insert, select, update on saved_replies to assent_app;

grant insert, select on saved_searches to assent_app;

grant insert, select, update on scheduled_messages to assent_app;

grant delete, insert, select, update on sessions to assent_app;

grant delete, insert, select, update on sign_in_failures to assent_app;

grant insert, select, update on signatures to assent_app;

grant delete, insert, select on signing_keys to assent_app;

grant insert, select on staff to assent_app;

grant delete, insert, select on suspended_provisions to assent_app;

grant insert, select, update on text_counts to assent_app;

grant delete, insert, select, update on throttles to assent_app;

grant delete, insert, select, update on traffic to assent_app;

grant delete, insert, select, update on unmatched_receipts to assent_app;

grant delete, insert, select, update on webhook_deliveries to assent_app;

grant delete, insert, select, update on webhook_streams to assent_app;

grant delete, insert, select, update on webhooks to assent_app;

grant insert, select on wordings to assent_app;

grant insert (advisor_id, number, kind, member_id, message_id, actor, trace_id, meta, commitment, date_time_created) on archive_entries to assent_app;

grant update (role, disabled, date_time_reinvited) on staff to assent_app;
