-- A session can put a temporary table pg_class before the catalog's, with an owner of its choice. So the walls that ask who owns a table
-- look into the catalog first.
alter function refuse_direct_entry() set search_path = pg_catalog, pg_temp;
alter function refuse_body_change() set search_path = pg_catalog, pg_temp;
