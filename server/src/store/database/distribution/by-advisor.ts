import type { Db } from '../db.ts';
import { comparedWith } from './routing.ts';

/**
 * A batch has items of several advisors, which one PostgreSQL takes in one statement. In a distributed database the rows of
 * an advisor are on one node, so there it is a statement for each advisor: it goes to that node as it is, locks and all.
 */

/** Runs the work for these items, and returns what it returns for each, in order. */
export async function byAdvisor<Item extends { advisorId: number }, Result>(
  db: Db,
  items: Item[],
  work: (db: Db, items: Item[]) => Promise<Result[]>,
): Promise<Result[]> {
  // Without waiting where it is known: the statement goes along with what was sent before it.
  const isDistributed = db.isDistributed();
  if (isDistributed === false || !(await isDistributed)) return work(db, items);
  const results = new Map<Item, Result>();
  await forEachAdvisor(db, items, async (own, group) => {
    const found = await work(own, group);
    for (const [index, item] of group.entries()) results.set(item, found[index] as Result);
  });
  return items.map((item) => results.get(item) as Result);
}

/** The same for work that finds any number of rows. */
export async function collectByAdvisor<Item extends { advisorId: number }, Row>(
  db: Db,
  items: Item[],
  work: (db: Db, items: Item[]) => Promise<Row[]>,
): Promise<Row[]> {
  const rows: Row[] = [];
  await forEachAdvisor(db, items, async (own, group) => void rows.push(...(await work(own, group))));
  return rows;
}

/** The same for work without a result. In the order of advisors, as locks are taken. */
export async function forEachAdvisor<Item extends { advisorId: number }>(
  db: Db,
  items: Item[],
  work: (db: Db, items: Item[]) => Promise<void>,
): Promise<void> {
  const isDistributed = db.isDistributed();
  if (isDistributed === false || !(await isDistributed)) return work(db, items);
  const groups = Map.groupBy(items, ({ advisorId }) => advisorId);
  const advisorIds = [...groups.keys()].sort((a, b) => a - b);
  for (const advisorId of advisorIds) await work(ofAdvisor(db, advisorId), groups.get(advisorId) as Item[]);
}

/** SQL that limits a table's rows to those of the advisor, where a statement is for one; and how many rows it may lock. */
export type Own = { of(table: string): string; limit: number };

/**
 * Locks rows that are due, whoever's they are. `ready` selects the advisors of so many of them, each as often as it has rows. A
 * distributed database locks rows on one node only, so there it is a statement for each of these advisors.
 */
export async function lockByAdvisor<Row>(
  db: Db,
  { ready, values, limit }: { ready: string; values: unknown[]; limit: number },
  work: (db: Db, own: Own) => Promise<Row[]>,
): Promise<Row[]> {
  const isDistributed = db.isDistributed();
  if (isDistributed === false || !(await isDistributed)) return work(db, { of: () => '', limit });
  const advisors = await db.query<{ advisorId: number; limit: number }>(
    `select advisor_id as "advisorId", count(*)::integer as limit
     from (${ready} limit ${limit}) as ready
     group by advisor_id
     order by advisor_id`,
    values,
  );
  const rows: Row[] = [];
  const of = (table: string) => `and ${table}.advisor_id = own.advisor_id`;
  for (const { advisorId, limit } of advisors) rows.push(...(await work(ofAdvisor(db, advisorId), { of, limit })));
  return rows;
}

/** Statements that compare with the advisor of another row compare with this advisor instead. */
export function ofAdvisor(db: Db, advisorId: number): Db {
  const own = (text: string, values: unknown[] = [], name?: string): [string, unknown[], string?] => {
    const named = comparedWith(text, `$${values.length + 1}::bigint`);
    return named === text ? [text, values, name] : [named, [...values, advisorId], name && `${name}-of-advisor`];
  };
  return {
    ...db,
    query: (text, values, name) => db.query(...own(text, values, name)),
    write: (text, values, name) => db.write(...own(text, values, name)),
  };
}
