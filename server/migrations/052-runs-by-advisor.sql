-- Where the database is distributed, the runs of an advisor are with their entries. A leaf stays first: the tree is read in
-- its order.
alter table archive_runs
  drop constraint archive_runs_pkey,
  add primary key (first_leaf, advisor_id);
