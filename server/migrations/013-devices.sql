-- Browsers in which an advisor has signed in before, by the SHA-256 of their cookie: guesses by strangers don't count
-- against sign-ins there. A browser may belong to several advisors.
create table devices (
  device_hash bytea not null,
  advisor_id bigint not null references advisors,
  date_time_expires timestamptz not null,
  primary key (device_hash, advisor_id)
);
create index devices_advisor on devices (advisor_id, date_time_expires);
create index devices_expires on devices (date_time_expires);

grant select, insert, update, delete on devices to assent_app;
