/**
 * Where the rows of each table are when the database is distributed (Citus): decision 0025. On one PostgreSQL this says
 * which tables are an advisor's own, and a test goes by it: their statements name the advisor, or say why they span advisors.
 */

/** An advisor's own, by `advisor_id`: all rows of one advisor are on one node. */
export const advisorOwned = [
  'archive_bodies',
  'archive_entries',
  'archive_heads',
  'archive_indexed',
  'archive_runs',
  'archive_taken',
  'archive_words',
  'attempts',
  'broadcast_recipients',
  'broadcasts',
  'carrier_texts',
  'claims',
  'contact_books',
  'contact_changes',
  'contact_imports',
  'contacts',
  'conversations',
  'crm_connections',
  'crm_lookups',
  'deleted_groups',
  'dispatches',
  'events',
  'groups',
  'idempotent_responses',
  'members',
  'memberships',
  'messages',
  'pending_actions',
  'replies',
  'reply_media',
  'reviews',
  'saved_replies',
  'scheduled_messages',
  'signatures',
  'text_counts',
  'unmatched_receipts',
  'webhook_streams',
] as const;

/** Small, shared by advisors and joined to what they own: every node has all of their rows. */
export const shared = [
  'firms',
  'carriers',
  'advisors',
  'applications',
  'api_keys',
  'earlier_numbers',
  'grants',
  'hold_lifts',
  'holds',
  'lexicons',
  'number_lookups',
  'retentions',
  'review_samples',
  'sandbox_clock',
  'staff',
  'webhooks',
  'wordings',
] as const;

/** Foreign keys that a distributed database can't have: from a shared table to an advisor's. The functions that write there check it. */
export const unsupportedKeys = ['holds_advisor_id_member_id_fkey'];

/** Functions that statements and triggers call on the nodes. Those of triggers themselves are there with them. */
export const functionsOnNodes = ['scopes_of_both(text[], text[])'];
