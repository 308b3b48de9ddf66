-- Where the database is distributed, a default is computed by the coordinator, and inserted as the role of the application, which has no
-- privilege on this column. There a trigger with this function has the node say when it recorded an entry. A time that is given
-- stays: only the owner can give one, such as when a row moves to another node.
create function set_recorded_at() returns trigger
language plpgsql
as $$
begin
  new.recorded_at := coalesce(new.recorded_at, now());
  return new;
end
$$;
