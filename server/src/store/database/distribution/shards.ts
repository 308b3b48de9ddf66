import pg from 'pg';
import { columnsIn } from '../connecting/column-values.ts';
import type { Column } from '../connecting/description.ts';
import { kindOf } from '../errors.ts';
import { advisorOwned, shared } from './tables.ts';

/** Where an advisor's rows are. */
export type Place = { advisorId: number; shard: string; node: number };
export type ShardStatement = { text: string; name?: string | undefined };
/** The statement's parameters on one shard. */
export type Job = { place: Place; values: unknown[] };

/** Runs statements on shards themselves, several shards of one node at a time. */
export type Shards = {
  /** Whether statements are part of a transaction. */
  isTransaction: boolean;
  /** In order. Known ones need no waiting. */
  placesOf(advisorIds: number[]): Place[] | Promise<Place[]>;
  /** Every shard. Its advisor may be nobody: a number whose rows would be there. */
  all(): Promise<Place[]>;
  /** The rows of each job, in order. */
  query<Row extends object>(statement: ShardStatement, jobs: Job[]): Promise<Row[][]>;
  write(statement: ShardStatement, jobs: Job[]): Promise<void>;
  /** The rows of each job of a statement that only reads: then it doesn't count as a part of what the transaction writes. */
  lookUp<Row extends object>(statement: ShardStatement, jobs: Job[]): Promise<Row[][]>;
};

/** What a process knows of a distributed database, for all of its connections. */
export type ShardsKnown = { places: Map<number, Place>; all: Place[]; columns: Map<string, Promise<Column[] | null>> };

type Plain = {
  query<Row extends object>(text: string, values?: unknown[], name?: string): Promise<Row[]>;
  write(text: string, values?: unknown[], name?: string): Promise<void>;
  describe(text: string): Promise<Column[] | null>;
  isTransaction: boolean;
};

type Call = { text: string; name: string };
/** Citus hands this to the node of the advisor in $1 as a whole. It can't tell whether it writes, and takes it for a write. */
const run: Call = {
  text: 'select place, "row" from run_on_shards($1, $2, $3, $4, $5, $6)',
  name: 'run-on-shards',
};
/** A statement about a table of that advisor, which only reads for all that Citus can tell. */
const read: Call = {
  text: `select found.place, found."row"
    from (select count(*) from archive_heads where advisor_id = $1) as anchor
    cross join lateral run_on_shards($1, $2, $3, $4, $5, $6) as found`,
  name: 'read-on-shards',
};

/** Hashes are even: of so many numbers for each shard, the odds that none is in one of a million shards are 1 in 10^20. */
const guessesOfEach = 60;

/** The driver's own way of writing a parameter as text, which its types leave out. */
const { prepareValue } = (pg as unknown as { utils: { prepareValue(value: unknown): string | Buffer | null } }).utils;

export function shardsOn({ query, write, describe, isTransaction }: Plain, known: ShardsKnown): Shards {
  const { places, columns } = known;

  function placesOf(advisorIds: number[]): Place[] | Promise<Place[]> {
    const missing = [...new Set(advisorIds)].filter((advisorId) => !places.has(advisorId));
    const found = () => advisorIds.map((advisorId) => places.get(advisorId) as Place);
    return missing.length === 0 ? found() : learn(missing).then(found);
  }

  async function learn(advisorIds: number[]): Promise<void> {
    const found = await query<Place>(
      `select given.advisor_id as "advisorId", p.shardid as shard, p.groupid as node
       from unnest($1::bigint[]) as given (advisor_id)
       join pg_dist_placement p
         on p.shardid = get_shard_id_for_distribution_column('archive_heads', given.advisor_id)`,
      [advisorIds],
    );
    for (const place of found) places.set(place.advisorId, place);
  }

  async function all(): Promise<Place[]> {
    if (known.all.length > 0) return known.all;
    const found = await query<Place & { count: number }>(
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
    known.all = found;
    return found;
  }

  async function columnsOf(text: string): Promise<Column[] | null> {
    const described = columns.get(text) ?? describe(text);
    columns.set(text, described);
    // Whoever asks next tries again.
    described.catch(() => columns.delete(text));
    return described;
  }

  /** A shard that was moved is somewhere else when the work runs again. */
  function forget(error: unknown): never {
    if (kindOf(error) === 'conflict') {
      places.clear();
      known.all = [];
    }
    throw error;
  }

  const locked = new Set<string>();
  /**
   * The coordinator's locks come first, as in statements that Citus plans: a shard is moved by who has locked it there, and then on
   * its nodes. In the other order a transaction and a move could wait for each other.
   */
  async function share(jobs: Job[]): Promise<void> {
    const missing = jobs.map(({ place }) => place.shard).filter((shard) => !locked.has(shard));
    if (!isTransaction || missing.length === 0) return;
    for (const shard of missing) locked.add(shard);
    await write('select share_shards($1)', [missing], 'share-shards');
  }

  const rowsBy =
    ({ text, name }: Call) =>
    async <Row extends object>(statement: ShardStatement, jobs: Job[]): Promise<Row[][]> => {
      const columns = await columnsOf(statement.text);
      await share(jobs);
      const parameters = parametersOf(statement, jobs, columns !== null);
      const found = await query<{ place: number; row: string }>(text, parameters, name).catch(forget);
      const rows = jobs.map(() => [] as Row[]);
      for (const { place, row } of found) rows[place - 1]?.push(rowOf(columns ?? [], row) as Row);
      return rows;
    };

  return {
    isTransaction,
    placesOf,
    all,
    query: rowsBy(run),
    async write(statement, jobs) {
      await share(jobs);
      await write(run.text, parametersOf(statement, jobs, false), run.name).catch(forget);
    },
    lookUp: rowsBy(read),
  };
}

/** A word in quotes is no table. */
const tables = new RegExp(`(?<!['"\\w])(?:${[...advisorOwned, ...shared].join('|')})(?!['"\\w])`, 'g');
const withPlaces = new Map<string, string>();

/** The statement with its tables in braces, where a shard puts the names of its own. */
export function forShards(text: string): string {
  return withPlaces.getOrInsertComputed(text, () => text.replace(tables, '{$&}'));
}

function parametersOf({ text, name }: ShardStatement, jobs: Job[], hasRows: boolean): unknown[] {
  return [
    jobs[0]?.place.advisorId,
    name ?? null,
    forShards(text),
    hasRows,
    jobs.map(({ place }) => place.shard),
    jobs.flatMap(({ values }) => values.map(textOf)),
  ];
}

function textOf(value: unknown): string | null {
  const text = prepareValue(value);
  return Buffer.isBuffer(text) ? `\\x${text.toString('hex')}` : text;
}

function rowOf(columns: Column[], row: string): object {
  const texts = columnsIn(row);
  return Object.fromEntries(
    columns.map(({ name, read }, index) => {
      const text = texts[index] ?? null;
      return [name, text === null ? null : read(text)];
    }),
  );
}
