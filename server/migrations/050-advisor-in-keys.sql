-- Where the database is distributed by advisor, a unique key has the advisor in it. A message's id stays first: the texts of
-- a claim are found by their ids alone, as before.
alter table dispatches
  drop constraint dispatches_pkey,
  add primary key (message_id, advisor_id);

-- A review's id is unique because one sequence gives it, and the primary key begins with the advisor. Reviewers know the id
-- alone, so it keeps an index.
create index reviews_id on reviews (review_id);
drop index reviews_review_id;
