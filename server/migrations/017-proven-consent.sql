-- The tables say what the archive's entries say. Verification compares them; these walls keep the ordinary ways out.

-- A member's consent is what its last consent entry says, which the same transaction writes. Checked at the commit, and
-- against the row as it is then: a transaction may move it twice.
create function refuse_unproven_consent() returns trigger
language plpgsql
set search_path = public, pg_temp
as $$
begin
  if (select state from members where advisor_id = new.advisor_id and member_id = new.member_id)
    is distinct from coalesce(
      (
        select meta::json ->> 'to'
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
$$;
create constraint trigger consent_changed after update of state on members
  deferrable initially deferred
  for each row when (old.state is distinct from new.state) execute function refuse_unproven_consent();
create constraint trigger consent_added after insert on members
  deferrable initially deferred
  for each row when (new.state <> 'none') execute function refuse_unproven_consent();

-- Consent belongs to the number: a member who could get another number would bring its consent along.
create function refuse_other_number() returns trigger
language plpgsql
as $$
begin
  raise exception 'a member keeps its number' using errcode = 'insufficient_privilege';
end
$$;
create trigger number_stays before update of advisor_id, member_id, phone on members
  for each row
  when ((old.advisor_id, old.member_id, old.phone) is distinct from (new.advisor_id, new.member_id, new.phone))
  execute function refuse_other_number();

alter table members enable always trigger consent_changed;
alter table members enable always trigger consent_added;
alter table members enable always trigger number_stays;

-- Entries refer to wordings and lexicons by version, and to staff by id.
create trigger append_only before update or delete or truncate on wordings
  for each statement execute function refuse_change();
create trigger append_only before update or delete or truncate on lexicons
  for each statement execute function refuse_change();
alter table wordings enable always trigger append_only;
alter table lexicons enable always trigger append_only;
revoke update on wordings, staff from assent_app;
grant update (disabled) on staff to assent_app;

-- The wording that a consent request showed is read from its entry.
alter table members
  drop column requested_wording,
  drop column requested_version;

-- Finds what accounts are supposed to be.
create index archive_entries_setting on archive_entries (advisor_id, number) where kind in ('setting', 'staff');
