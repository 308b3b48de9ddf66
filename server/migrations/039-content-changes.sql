-- What changed in an owner's part of the search, statement by statement: a node that has it in memory catches up from here.
-- The highest version is the owner's current one, and only the last thousand are kept.
create table content_changes (
  -- A firm, or 0 for everyone's.
  owner_id bigint not null,
  version bigint not null,
  -- A database that was restored from a copy counts the same versions again, for other changes.
  change_id uuid not null default gen_random_uuid(),
  content_ids bigint[] not null,
  primary key (owner_id, version)
);

create function log_content_changes(changed_owner_id bigint, changed_ids bigint[]) returns void
language plpgsql
as $$
declare
  versions_kept constant bigint := 1000;
  next_version bigint;
begin
  -- The lock of the blocks: changes take turns until their commit, so whoever sees a version sees all before it.
  perform pg_advisory_xact_lock(hashtextextended('content blocks', 0));
  select coalesce(max(version), 0) + 1
  into next_version
  from content_changes
  where owner_id = changed_owner_id;
  insert into content_changes (owner_id, version, content_ids)
  values (changed_owner_id, next_version, changed_ids);
  delete from content_changes
  where owner_id = changed_owner_id and version <= next_version - versions_kept;
end
$$;

-- They run as the owner: the application's role reads changes and can't write them.
create function content_search_arrived() returns trigger
language plpgsql security definer set search_path = public, pg_temp
as $$
begin
  perform log_content_changes(coalesce(firm_id, 0), array_agg(content_id)) from arrived group by firm_id;
  return null;
end
$$;

create function content_search_departed() returns trigger
language plpgsql security definer set search_path = public, pg_temp
as $$
begin
  perform log_content_changes(coalesce(firm_id, 0), array_agg(content_id)) from departed group by firm_id;
  return null;
end
$$;

create trigger content_search_inserted after insert on content_search
  referencing new table as arrived for each statement execute function content_search_arrived();
create trigger content_search_updated after update on content_search
  referencing new table as arrived for each statement execute function content_search_arrived();
create trigger content_search_deleted after delete on content_search
  referencing old table as departed for each statement execute function content_search_departed();

grant select on content_changes to assent_app;
