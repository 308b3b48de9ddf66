-- The archive's Merkle tree: which entry is which leaf, the hashes in tiles, and the checkpoints that were signed.

-- Leaves are taken in runs: these entries of one advisor, in the order of numbers, from this leaf on.
create table archive_runs (
  first_leaf bigint primary key,
  advisor_id bigint not null,
  first_number bigint not null,
  entries integer not null check (entries > 0),
  unique (advisor_id, first_number)
);

-- How far each advisor's entries are in the tree. Beside the heads and not in them: senders lock those.
create table archive_taken (
  advisor_id bigint primary key,
  last_number bigint not null
);

-- 256 hashes each (C2SP tlog-tiles); the last one of a level grows until it is full.
create table archive_tiles (
  level smallint not null,
  tile bigint not null,
  hashes bytea not null,
  primary key (level, tile)
);

-- One row: the tree as it is. Whoever adds to it locks it, so that one node does at a time.
create table archive_tree (
  only_row boolean primary key default true check (only_row),
  size bigint not null,
  root bytea not null,
  -- Why nothing is signed any more, if so.
  fault text
);
insert into archive_tree (size, root)
values (0, '\xe3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855');

create table archive_checkpoints (
  checkpoint_id bigint generated always as identity primary key,
  size bigint not null,
  note text not null,
  -- Real time.
  date_time_created timestamptz not null
);
create index archive_checkpoints_size on archive_checkpoints (size, checkpoint_id);

-- What became of a checkpoint outside: handed to the operator's command, or stamped with the time by a TSA.
create table archive_deliveries (
  checkpoint_id bigint not null references archive_checkpoints,
  kind text not null check (kind in ('command', 'timestamp')),
  -- The answer of a TSA, in DER.
  token bytea,
  date_time_created timestamptz not null,
  primary key (kind, checkpoint_id)
);

create trigger append_only before update or delete or truncate on archive_runs
  for each statement execute function refuse_change();
create trigger append_only before update or delete or truncate on archive_checkpoints
  for each statement execute function refuse_change();
create trigger append_only before update or delete or truncate on archive_deliveries
  for each statement execute function refuse_change();
alter table archive_runs enable always trigger append_only;
alter table archive_checkpoints enable always trigger append_only;
alter table archive_deliveries enable always trigger append_only;

grant select, insert on archive_runs, archive_checkpoints, archive_deliveries to assent_app;
grant select, insert, update on archive_taken, archive_tiles, archive_tree to assent_app;
