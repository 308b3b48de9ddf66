import type { Db } from '../database/db.ts';

export type NodeRow = { node: string; role: string; startedAt: Date; seenAt: Date; halted: string | null };

/** Tells that a process is there, and forgets those that are gone. */
export async function upsertNode(db: Db, row: NodeRow, forgetBefore: Date): Promise<void> {
  await db.query(
    `with forgotten as (
       delete from nodes
       where date_time_seen < $6
     )
     insert into nodes (node, role, date_time_started, date_time_seen, halted)
     values ($1, $2, $3, $4, $5)
     on conflict (node) do update
     set role = excluded.role, date_time_started = excluded.date_time_started,
         date_time_seen = excluded.date_time_seen, halted = excluded.halted`,
    [row.node, row.role, row.startedAt, row.seenAt, row.halted, forgetBefore],
    'upsert-node',
  );
}

export async function listNodes(db: Db, since: Date): Promise<NodeRow[]> {
  return db.query<NodeRow>(
    `select node, role, date_time_started as "startedAt", date_time_seen as "seenAt", halted
     from nodes
     where date_time_seen >= $1
     order by node`,
    [since],
  );
}

export async function deleteNode(db: Db, node: string): Promise<void> {
  await db.write('delete from nodes where node = $1', [node]);
}
