import type { Db } from '../database/db.ts';

export async function findSignature(db: Db, advisorId: number): Promise<string | null> {
  const [row] = await db.query<{ text: string }>(
    `select text
     from signatures
     where advisor_id = $1`,
    [advisorId],
    'find-signature',
  );
  return row?.text || null;
}

/** An empty one is none. */
export async function updateSignature(db: Db, advisorId: number, text: string): Promise<void> {
  await db.query(
    `insert into signatures (advisor_id, text)
     values ($1, $2)
     on conflict (advisor_id) do update
     set text = excluded.text`,
    [advisorId, text],
    'update-signature',
  );
}
