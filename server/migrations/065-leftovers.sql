-- What no version uses anymore: unmatched_receipts and content_block_counts took their places.
drop table early_receipts;
-- In a block, each statement is sent alone: Citus passes the removal of a trigger on with all that was sent along with it.
do $$
begin
  drop trigger content_inserted on content_items;
  drop trigger content_updated on content_items;
end
$$;
drop function count_content;
drop function count_new_content;
drop table content_counts;
