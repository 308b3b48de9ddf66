import type { EntrySpan } from '../archive/archive.ts';
import { type LeafRow, leafColumns } from '../archive/archive-tree.ts';
import type { Db } from '../database/db.ts';

export async function listOutcomeNumbers(db: Db, { advisorId, after, upTo }: EntrySpan) {
  return db.query<{ messageId: number; number: number }>(
    `select message_id as "messageId", number
     from archive_entries
     where advisor_id = $1 and number > $2 and number <= $3 and kind = 'outcome'
     order by number`,
    [advisorId, after, upTo],
  );
}

export async function listOutcomes(db: Db, advisorId: number, numbers: number[]): Promise<LeafRow[]> {
  return db.query<LeafRow>(
    `select ${leafColumns}
     from archive_entries e
     where e.advisor_id = $1 and e.number = any ($2)`,
    [advisorId, numbers],
    'list-outcomes',
  );
}
