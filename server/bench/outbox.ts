import { setTimeout as pause } from 'node:timers/promises';
import type { Cast } from './send-cast.ts';

export const drainMsMax = 10 * 60_000;
const deliveredMsMax = 10_000;
const pollMs = 100;

export async function drained(waiting: () => Promise<number>): Promise<void> {
  for (const deadline = Date.now() + drainMsMax; (await waiting()) > 0; await pause(pollMs))
    if (Date.now() > deadline) throw new Error('The texts were not all handed over.');
}

/** Texts in the outbox, and those of claims whose outcomes aren't all known. */
export async function waiting({ owner }: Cast): Promise<number> {
  const { rows } = await owner.query(
    `select
       (select count(*) from dispatches)::integer
         + coalesce((select sum(cardinality(message_ids)) from claims), 0)::integer as waiting`,
  );
  return rows[0].waiting;
}

export async function acceptedSince({ owner }: Cast, mark: number): Promise<number> {
  const { rows } = await owner.query('select count(*)::integer as count from messages where message_id > $1', [mark]);
  return rows[0].count;
}

export async function lastMessageId({ owner }: Cast): Promise<number> {
  const { rows } = await owner.query('select case when is_called then last_value else 0 end as id from message_ids');
  return rows[0].id;
}

/** A rate that counts failed texts would be meaningless. Receipts come a moment later. */
export async function everyOneDelivered({ owner }: Cast, mark: number, count: number): Promise<void> {
  for (const deadline = Date.now() + deliveredMsMax; ; await pause(pollMs)) {
    const { rows } = await owner.query(
      `select status, failure_code as reason, count(*)::integer as texts
       from messages
       where message_id > $1
       group by status, failure_code`,
      [mark],
    );
    if (rows.every(({ status }) => status === 'delivered') && rows[0]?.texts === count) return;
    if (Date.now() > deadline) throw new Error(`${count} texts were not all delivered: ${JSON.stringify(rows)}`);
  }
}
