-- Streams that are known to have something to tell, by when: looking for work doesn't look at the others. A stream that has
-- told everything is marked again when its log has grown.
alter table webhook_streams add column behind boolean not null default false;
create index webhook_streams_behind on webhook_streams (application_id, not_before) where behind;
