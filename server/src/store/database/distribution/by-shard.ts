import type { Db } from '../db.ts';
import type { Place, Shards } from './shards.ts';

/**
 * A batch has items of several advisors, which one PostgreSQL takes in one statement. In a distributed database each advisor's
 * rows are in one shard, so there the same statement runs on each of their shards, with the items that belong there. The shards
 * of a node get theirs in one call. Always in the order of nodes and shards, as locks are taken.
 *
 * On a shard there are the tables of advisors, and those that all nodes have. It can't draw ids, and has nothing of the
 * coordinator's: `isPart` tells the work where that makes a difference.
 */

/** Without waiting where it is known: on one PostgreSQL the statement goes along with what was sent before it. */
function where<Result>(db: Db, isOne: () => Promise<Result>, isDistributed: () => Promise<Result>): Promise<Result> {
  const known = db.isDistributed();
  if (typeof known === 'boolean') return known ? isDistributed() : isOne();
  return known.then((found) => (found ? isDistributed() : isOne()));
}

type Work<Item, Result> = (db: Db, items: Item[], isPart: boolean) => Promise<Result>;

/** Runs the work for these items, and returns what it returns for each, in order. */
export function byShard<Item extends { advisorId: number }, Result>(
  db: Db,
  items: Item[],
  work: Work<Item, Result[]>,
): Promise<Result[]> {
  const onShards = async () => {
    const results = new Map<Item, Result>();
    await onEachShard(db, items, async (own, group) => {
      const found = await work(own, group, true);
      for (const [index, item] of group.entries()) results.set(item, found[index] as Result);
    });
    return items.map((item) => results.get(item) as Result);
  };
  return where(db, () => work(db, items, false), onShards);
}

/** The same for work that finds any number of rows. */
export function collectByShard<Item extends { advisorId: number }, Row>(
  db: Db,
  items: Item[],
  work: Work<Item, Row[]>,
): Promise<Row[]> {
  const onShards = async () => (await onEachShard(db, items, (own, group) => work(own, group, true))).flat();
  return where(db, () => work(db, items, false), onShards);
}

/** The same for work without a result. */
export function forEachShard<Item extends { advisorId: number }>(
  db: Db,
  items: Item[],
  work: Work<Item, void>,
): Promise<void> {
  const onShards = async () => void (await onEachShard(db, items, (own, group) => work(own, group, true)));
  return where(db, () => work(db, items, false), onShards);
}

/** Collects rows of every shard, in any order. */
export function collectFromAll<Row>(db: Db, work: (db: Db, isPart: boolean) => Promise<Row[]>): Promise<Row[]> {
  const onShards = async () => (await onPlaces(db, await db.shards.all(), (own) => work(own, true))).flat();
  return where(db, () => work(db, false), onShards);
}

type Due = {
  /** Selects the rows that are due, the first first. */
  ready: string;
  values: unknown[];
  name: string;
  limit: number;
};

/**
 * Locks rows that are due, whoever's they are. A distributed database first looks how many are `ready` in each shard. If there
 * are more than `limit`, each shard gets a share of it.
 */
export async function lockByShard<Row>(
  db: Db,
  { ready, values, name, limit }: Due,
  work: (db: Db, limit: number, isPart: boolean) => Promise<Row[]>,
): Promise<Row[]> {
  const isDistributed = db.isDistributed();
  if (isDistributed === false || !(await isDistributed)) return work(db, limit, false);
  const places = await db.shards.all();
  const text = `select count(*)::integer as count from (${ready} limit $${values.length + 1}::integer) as ready`;
  const counted = await onPlaces(db, places, async (own, place) => {
    const [row] = await own.lookUp<{ count: number }>(text, [...values, limit], `ready-${name}`);
    return { place, count: row?.count ?? 0 };
  });
  const due = sharesOf(counted, limit);
  const found = await onPlaces(
    db,
    due.map(({ place }) => place),
    (own, _, index) => work(own, due[index]?.count ?? 0, true),
  );
  return found.flat();
}

/** As much of the limit for each as is left when those with less have all of theirs. Those that get none are left out. */
export function sharesOf<Each extends { count: number }>(counted: Each[], limit: number): Each[] {
  let [left, others] = [limit, counted.length];
  const shares = new Map(
    counted
      .toSorted((a, b) => a.count - b.count)
      .map((each) => {
        const count = Math.min(each.count, Math.ceil(left / others));
        left -= count;
        others -= 1;
        return [each, count];
      }),
  );
  return counted.flatMap((each) => (shares.get(each) ? { ...each, count: shares.get(each) as number } : []));
}

/**
 * For a transaction that also writes to tables of the coordinator. With a single node, Citus would commit there before the
 * coordinator commits, and a crash in between would keep half of it. With several it prepares the transaction on each first.
 */
export async function prepareOnNodes(db: Db): Promise<void> {
  const isDistributed = db.isDistributed();
  if (isDistributed === false || !(await isDistributed)) return;
  const byNode = Map.groupBy(await db.shards.all(), ({ node }) => node);
  const places = Array.from(byNode.values(), (all) => all[0] as Place);
  await onPlaces(db, places, (own) => own.write('select', [], 'prepare-on-nodes'));
}

/** Ids of new rows, for a distributed database: otherwise the table draws them itself, and this is empty. */
export async function drawIds(
  db: Db,
  { table, column }: { table: string; column: string },
  count: number,
): Promise<number[]> {
  const isDistributed = db.isDistributed();
  if (isDistributed === false || !(await isDistributed)) return [];
  const rows = await db.query<{ id: number }>(
    `select nextval(pg_get_serial_sequence($1, $2)) as id
     from generate_series(1, $3::integer)`,
    [table, column, count],
  );
  return rows.map(({ id }) => id);
}

async function onEachShard<Item extends { advisorId: number }, Result>(
  db: Db,
  items: Item[],
  work: (db: Db, items: Item[]) => Promise<Result>,
): Promise<Result[]> {
  const found = db.shards.placesOf(items.map(({ advisorId }) => advisorId));
  const places = Array.isArray(found) ? found : await found;
  const groups = Map.groupBy(
    items.map((item, index) => ({ item, place: places[index] as Place })),
    ({ place }) => place.shard,
  );
  const ordered = [...groups.values()]
    .map((group) => ({ place: (group[0] as { place: Place }).place, items: group.map(({ item }) => item) }))
    .sort((a, b) => a.place.node - b.place.node || Number(a.place.shard) - Number(b.place.shard));
  return onPlaces(
    db,
    ordered.map(({ place }) => place),
    (own, _, index) => work(own, ordered[index]?.items ?? []),
  );
}

function onPlaces<Result>(
  db: Db,
  places: Place[],
  work: (db: Db, place: Place, index: number) => Promise<Result>,
): Promise<Result[]> {
  const on = gatherByNode(db);
  return Promise.all(places.map((place, index) => work(on(place), place, index)));
}

type Waiting = {
  place: Place;
  text: string;
  values: unknown[];
  name: string | undefined;
  way: keyof Pick<Shards, 'query' | 'write' | 'lookUp'>;
  resolve(rows: never[]): void;
  reject(error: unknown): void;
};

/** Statements of several shards that are sent in the same turn, by the same text, are one call for each node. */
function gatherByNode(db: Db): (place: Place) => Db {
  let waiting: Waiting[] = [];

  function send(): void {
    const gathered = Map.groupBy(waiting, ({ place, way, text }) => `${place.node} ${way} ${text}`);
    waiting = [];
    void (db.shards.isTransaction
      ? sendInOrder([...gathered.values()])
      : Promise.all(gathered.values().map(sendTogether)));
  }

  /** A transaction takes one after the other, and none after one that failed: it would be sent after the rollback. */
  async function sendInOrder([next, ...later]: Waiting[][]): Promise<void> {
    if (!next) return;
    const failed = await sendTogether(next);
    if (!failed) return sendInOrder(later);
    for (const { reject } of later.flat()) reject(failed.error);
  }

  async function sendTogether(all: Waiting[]): Promise<{ error: unknown } | null> {
    const [{ text, name, way }] = all as [Waiting];
    try {
      const rows = await db.shards[way]<never>({ text, name }, all);
      for (const [index, { resolve }] of all.entries()) resolve(rows?.[index] ?? []);
      return null;
    } catch (error) {
      for (const { reject } of all) reject(error);
      return { error };
    }
  }

  const join = (place: Place, way: Waiting['way'], [text, values = [], name]: Parameters<Db['query']>) =>
    new Promise<never[]>((resolve, reject) => {
      if (waiting.length === 0) queueMicrotask(send);
      waiting.push({ place, text, values, name, way, resolve, reject });
    });

  return (place) => ({
    ...db,
    query: (...statement) => join(place, 'query', statement),
    lookUp: (...statement) => join(place, 'lookUp', statement),
    write: async (...statement) => void (await join(place, 'write', statement)),
  });
}
