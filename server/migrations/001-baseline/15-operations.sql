-- The processes of a deployment.

-- The processes of this deployment, as each last told: what an operator sees of them on one screen. Real time.
create table nodes (
  node text primary key,
  role text not null,
  date_time_started timestamptz not null,
  date_time_seen timestamptz not null,
  -- Why it hands no text over; null if it does, or isn't there for that.
  halted text
) with (fillfactor = 50);

grant select, insert, update, delete on nodes to assent_app;
