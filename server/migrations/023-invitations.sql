-- One-time links at which advisors choose a password, by the SHA-256 of their code. A new link replaces the one before.
create table invitations (
  advisor_id bigint primary key references advisors,
  code_hash bytea not null unique,
  date_time_expires timestamptz not null
);
create index invitations_expires on invitations (date_time_expires);

grant select, insert, update, delete on invitations to assent_app;
