import type { Db, Nodes } from '../db.ts';
import {
  type KnownNodes,
  runOnShards,
  type ShardConnection,
  type ShardJob,
  type ShardPlacement,
  type ShardStatement,
  type Way,
} from './shards.ts';

/**
 * Advisors on several nodes (Citus). Each advisor's rows are in one shard, so a statement about several advisors runs on each of
 * their shards, with the rows that belong there. The shards of a node get theirs in one call. Always in the order of nodes and
 * shards, as locks are taken.
 *
 * On a shard there are the tables of advisors, and those that all nodes have. It can't draw ids, and unmatched receipts, which are
 * nobody's, are in one shard only.
 */
export function nodesOn(connection: ShardConnection, known: KnownNodes): Nodes {
  const run = runOnShards(connection, known);

  async function placesOf(db: Db, advisorIds: number[]): Promise<ShardPlacement[]> {
    const missing = [...new Set(advisorIds)].filter((advisorId) => !known.places.has(advisorId));
    if (missing.length > 0) for (const place of await listPlaces(db, missing)) known.places.set(place.advisorId, place);
    return advisorIds.map((advisorId) => known.places.get(advisorId) as ShardPlacement);
  }

  async function allPlaces(db: Db): Promise<ShardPlacement[]> {
    if (known.all.length === 0) known.all = await listAllPlaces(db);
    return known.all;
  }

  function onPlaces<Result>(
    db: Db,
    places: ShardPlacement[],
    work: (db: Db, place: ShardPlacement, index: number) => Promise<Result>,
  ): Promise<Result[]> {
    const on = gatherByNode(db, connection.isTransaction, (...call) => run(db, ...call));
    return Promise.all(places.map((place, index) => work(on(place), place, index)));
  }

  return {
    async forAdvisors(db, rows, work) {
      const places = await placesOf(
        db,
        rows.map(({ advisorId }) => advisorId),
      );
      const groups = [...Map.groupBy(rows.keys(), (index) => (places[index] as ShardPlacement).shard).values()]
        .map((indexes) => ({ indexes, place: places[indexes[0] as number] as ShardPlacement }))
        .sort(({ place: a }, { place: b }) => a.node - b.node || Number(a.shard) - Number(b.shard));
      const results = await onPlaces(
        db,
        groups.map(({ place }) => place),
        (own, _, group) =>
          work(
            own,
            (groups[group]?.indexes ?? []).map((index) => rows[index] as (typeof rows)[number]),
          ),
      );
      return joined(
        results as unknown[][],
        groups.map(({ indexes }) => indexes),
      ) as Awaited<ReturnType<typeof work>>;
    },

    forAll: async (db, work) => (await onPlaces(db, await allPlaces(db), (own) => work(own))).flat(),

    async takeDue(db, due, work) {
      const looked = await onPlaces(db, await allPlaces(db), async (own, place) => {
        const rows = await own.lookUp(...due);
        return rows.length > 0 ? [place] : [];
      });
      const places = looked.flat();
      known.turn += 1;
      for (const at of places.keys()) {
        const place = places[(known.turn + at) % places.length] as ShardPlacement;
        const rows = (await onPlaces(db, [place], (own) => work(own))).flat();
        if (rows.length > 0) return { rows, hasOthers: places.length > 1 };
      }
      return { rows: [], hasOthers: false };
    },

    async drawIds(db, sequence, count) {
      const rows = await db.query<{ id: number }>(
        'select nextval($1::regclass) as id from generate_series(1, $2::integer)',
        [sequence, count],
        'draw-ids',
      );
      return rows.map(({ id }) => id);
    },

    /**
     * With a single node, Citus would commit there before the coordinator commits, and a crash in between would keep half of it. With
     * several it prepares the transaction on each first.
     */
    async commitTogether(db) {
      const byNode = Map.groupBy(await allPlaces(db), ({ node }) => node);
      const places = Array.from(byNode.values(), (all) => all[0] as ShardPlacement);
      await onPlaces(db, places, (own) => own.write('select', [], 'commit-together'));
    },
  };
}

/** Of each group of rows, by their indexes, what was found for it. */
function joined(results: unknown[][], groups: number[][]): unknown[] {
  if (!results.every((found, group) => found?.length === groups[group]?.length)) return results.flat();
  const ordered: unknown[] = [];
  for (const [group, indexes] of groups.entries())
    for (const [at, index] of indexes.entries()) ordered[index] = results[group]?.[at];
  return ordered;
}

async function listPlaces(db: Db, advisorIds: number[]): Promise<ShardPlacement[]> {
  return db.query<ShardPlacement>(
    `select given.advisor_id as "advisorId", p.shardid as shard, p.groupid as node
     from unnest($1::bigint[]) as given (advisor_id)
     join pg_dist_placement p
       on p.shardid = get_shard_id_for_distribution_column('archive_heads', given.advisor_id)`,
    [advisorIds],
  );
}

/** Hashes are even: of so many numbers for each shard, the odds that none is in one of a million shards are 1 in 10^20. */
const guessesOfEach = 60;

/** A place in every shard. Its advisor may be nobody: a number whose rows would be there. */
async function listAllPlaces(db: Db): Promise<ShardPlacement[]> {
  const found = await db.query<ShardPlacement & { count: number }>(
    `with shard as (
       select shardid, count(*) over () as count
       from pg_dist_shard
       where logicalrelid = 'archive_heads'::regclass
     ),
     guessed as (
       select get_shard_id_for_distribution_column('archive_heads', guess) as shardid, min(guess) as advisor_id
       from generate_series(0, (select max(count) from shard) * ${guessesOfEach}) as guess
       group by shardid
     )
     select advisor_id as "advisorId", p.shardid as shard, p.groupid as node, count
     from shard
     join guessed using (shardid)
     join pg_dist_placement p using (shardid)
     order by p.groupid, p.shardid`,
  );
  if (found.length < (found[0]?.count ?? 1)) throw new Error('No number is in some of the shards.');
  return found;
}

type Run = (way: Way, statement: ShardStatement, jobs: ShardJob[]) => Promise<object[][]>;
type Waiting = ShardJob & ShardStatement & { way: Way; resolve(rows: object[]): void; reject(error: unknown): void };

/** Statements of several shards that are sent in the same turn, by the same text, are one call for each node. */
function gatherByNode(db: Db, isTransaction: boolean, run: Run): (place: ShardPlacement) => Db {
  let waiting: Waiting[] = [];

  function send(): void {
    const gathered = Map.groupBy(waiting, ({ place, way, text }) => `${place.node} ${way} ${text}`);
    waiting = [];
    void (isTransaction ? sendInOrder([...gathered.values()]) : Promise.all(gathered.values().map(sendTogether)));
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
      const rows = await run(way, { text, name }, all);
      for (const [index, { resolve }] of all.entries()) resolve(rows[index] ?? []);
      return null;
    } catch (error) {
      for (const { reject } of all) reject(error);
      return { error };
    }
  }

  const join = (place: ShardPlacement, way: Way, [text, values = [], name]: Parameters<Db['query']>) =>
    new Promise<never[]>((resolve, reject) => {
      if (waiting.length === 0) queueMicrotask(send);
      waiting.push({ place, text, values, name, way, resolve: resolve as Waiting['resolve'], reject });
    });

  return (place) => ({
    ...db,
    query: (...statement) => join(place, 'query', statement),
    lookUp: (...statement) => join(place, 'lookUp', statement),
    write: async (...statement) => void (await join(place, 'write', statement)),
    nodes: () => null,
  });
}
