-- Grows in the transaction of every write that may end somebody's access, so that a node needs one look at it to know that
-- everybody it has let in may still come in.
create table access_epoch (
  is_only boolean primary key default true check (is_only),
  epoch bigint not null default 0
);
insert into access_epoch default values;
grant select, update on access_epoch to assent_app;
