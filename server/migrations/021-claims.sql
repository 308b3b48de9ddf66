-- A claim is one row: texts that a node is handing to the carrier, each with the number of its attempt. It is written in
-- the transaction that takes the texts out of the outbox, before the carrier is called, and goes with their last outcome.
create table claims (
  claim_id bigint generated always as identity primary key,
  -- Domain time.
  date_time_started timestamptz not null,
  -- Real time: after that, nobody knows what became of those of its texts that have no outcome.
  leased_until timestamptz not null,
  advisor_ids bigint[] not null,
  message_ids bigint[] not null,
  attempts smallint[] not null
);
create index claims_leased on claims (leased_until);
grant select, insert, update, delete on claims to assent_app;

-- Texts that were being submitted are claimed. Nobody hears their answers any more, so their leases expire, which puts
-- them in doubt with an entry that says so.
insert into claims (date_time_started, leased_until, advisor_ids, message_ids, attempts)
select started, leased_until, array_agg(advisor_id), array_agg(message_id), array_agg(attempt)
from (
  select
    t.advisor_id, t.message_id, t.attempt, coalesce(a.date_time_started, t.date_time_created) as started,
    coalesce(d.leased_until, now()) as leased_until
  from messages t
  left join attempts a using (advisor_id, message_id, attempt)
  left join dispatches d on d.advisor_id = t.advisor_id and d.message_id = t.message_id
  where t.status = 'submitting'
) as submitting
group by started, leased_until;

delete from attempts a
using messages t
where t.status = 'submitting'
  and a.advisor_id = t.advisor_id
  and a.message_id = t.message_id
  and a.attempt = t.attempt;

-- From now on the number of the last attempt whose outcome is known or in doubt.
update messages
set status = 'queued', attempt = attempt - 1
where status = 'submitting';

-- A text in the outbox waits; it is taken out by whoever claims, holds or fails it. With the column go its indexes.
delete from dispatches
where leased_until is not null;
alter table dispatches drop column leased_until;
create index dispatches_ready on dispatches (not_before, message_id) where deferred_until is null;

-- To look through the texts that were sent on a day: an attempt that the carrier accepted has no row in attempts.
create index messages_sent on messages using brin (date_time_sent) with (autosummarize = on);

-- Their rows are hardly ever updated now.
alter table dispatches reset (fillfactor);
alter table attempts reset (fillfactor);
