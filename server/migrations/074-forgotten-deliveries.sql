-- Rows that are deleted in batches are locked first, which takes this privilege: without it, old deliveries stayed forever.
grant update on webhook_deliveries to assent_app;
