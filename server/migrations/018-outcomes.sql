-- To find what the archive says last about what became of a text.
create index archive_entries_outcome on archive_entries (advisor_id, message_id, number) where kind = 'outcome';
