-- A group of 100,000 can't lose its memberships in one request. So a deleted group is gone at once, for every reader: a
-- membership counts only while its group exists. Its memberships are removed afterwards, in steps, and until then the
-- group is listed here. Changes to groups and memberships lock their book, so nobody joins a group that is gone.
alter table memberships drop constraint memberships_advisor_id_group_id_fkey;

create table deleted_groups (
  advisor_id bigint not null references advisors,
  group_id bigint not null,
  primary key (advisor_id, group_id)
);

grant select, insert, delete on deleted_groups to assent_app;
