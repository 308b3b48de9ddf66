-- While a shard of a distributed database is moved, what is written meanwhile comes to its new node by replication, as a role of Citus
-- that no other node knows. It was checked on the node that it comes from, so the walls let it through: otherwise the move
-- would never end, and the shard's advisors would wait for it.
create or replace function refuse_unproven_consent() returns trigger
language plpgsql
set search_path = public, pg_temp
as $$
begin
  if current_setting('session_replication_role') = 'replica' then
    if (select backend_type from pg_stat_get_activity(pg_backend_pid())) like 'logical replication %worker' then
      return null;
    end if;
  end if;
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

create or replace function refuse_direct_entry() returns trigger
language plpgsql
set search_path = pg_catalog, pg_temp
as $$
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
$$;
