-- A message's id is unique by itself. With it alone as the key, the texts of a claim are found by their ids and nothing else.
-- A plan that was made while the outbox was empty would otherwise read all of it, once for each text of the claim.
alter table dispatches
  drop constraint dispatches_pkey,
  add primary key (message_id);
