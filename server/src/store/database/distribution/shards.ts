import pg from 'pg';
import { columnsIn } from '../connecting/column-values.ts';
import type { Column } from '../connecting/description.ts';
import type { Db } from '../db.ts';
import { kindOf } from '../errors.ts';
import { advisorOwned, shared } from './tables.ts';

/** Where an advisor's rows are. */
export type ShardPlacement = { advisorId: number; shard: string; node: number };
export type ShardStatement = { text: string; name?: string | undefined };
/** The statement's parameters on one shard. */
export type ShardJob = { place: ShardPlacement; values: unknown[] };
/** What a `lookUp` runs only reads: then it doesn't count as a part of what the transaction writes. */
export type Way = 'query' | 'write' | 'lookUp';

/** What a process knows of the nodes, for all of its connections. */
export type KnownNodes = {
  places: Map<number, ShardPlacement>;
  all: ShardPlacement[];
  columns: Map<string, Promise<Column[] | null>>;
  /** So that each shard has its turn to be the first that is looked at. */
  turn: number;
};

/** The connections that a Db is on. */
export type ShardConnection = { isTransaction: boolean; describe(text: string): Promise<Column[] | null> };

type Call = [text: string, name: string];
/** Citus hands this to the node of the advisor in $1 as a whole. It can't tell whether it writes, and takes it for a write. */
const running: Call = ['select place, "row" from run_on_shards($1, $2, $3, $4, $5, $6)', 'run-on-shards'];
/** A statement about a table of that advisor, which only reads for all that Citus can tell. */
const reading: Call = [
  `select found.place, found."row"
   from (select count(*) from archive_heads where advisor_id = $1) as anchor
   cross join lateral run_on_shards($1, $2, $3, $4, $5, $6) as found`,
  'read-on-shards',
];

/** The driver's own way of writing a parameter as text, which its types leave out. */
const { prepareValue } = (pg as unknown as { utils: { prepareValue(value: unknown): string | Buffer | null } }).utils;

/** Runs a statement on shards themselves, several shards of one node at a time. Returns the rows of each job, in order. */
export function runOnShards({ isTransaction, describe }: ShardConnection, known: KnownNodes) {
  async function columnsOf(text: string): Promise<Column[] | null> {
    const described = known.columns.get(text) ?? describe(text);
    known.columns.set(text, described);
    // The next one tries again.
    described.catch(() => known.columns.delete(text));
    return described;
  }

  /** A shard that was moved or split is somewhere else when the work runs again. */
  function forget(error: unknown): never {
    if (kindOf(error) === 'conflict') {
      known.places.clear();
      known.all = [];
    }
    throw error;
  }

  const locked = new Set<string>();
  /**
   * The coordinator's locks come first, as in statements that Citus plans: a shard is moved by who has locked it there, and then on
   * its nodes. In the other order a transaction and a move could wait for each other.
   */
  async function share(db: Db, jobs: ShardJob[]): Promise<void> {
    const missing = jobs.map(({ place }) => place.shard).filter((shard) => !locked.has(shard));
    if (!isTransaction || missing.length === 0) return;
    for (const shard of missing) locked.add(shard);
    await db.write('select share_shards($1)', [missing], 'share-shards');
  }

  return async (db: Db, way: Way, statement: ShardStatement, jobs: ShardJob[]): Promise<object[][]> => {
    const columns = way === 'write' ? null : await columnsOf(statement.text);
    await share(db, jobs);
    const parameters = parametersOf(statement, jobs, columns !== null);
    const [text, name] = way === 'lookUp' ? reading : running;
    if (way === 'write') {
      await db.write(text, parameters, name).catch(forget);
      return [];
    }
    const found = await db.query<{ place: number; row: string }>(text, parameters, name).catch(forget);
    const rows = jobs.map(() => [] as object[]);
    for (const { place, row } of found) rows[place - 1]?.push(rowOf(columns ?? [], row));
    return rows;
  };
}

/** By the word before it, or the point after it: a column may have a table's name. */
const names = [...advisorOwned, ...shared].join('|');
const tables = new RegExp(`(?<=\\b(?:from|join|into|update|using)\\s+)(?:${names})\\b|\\b(?:${names})(?=\\.)`, 'g');
const withPlaces = new Map<string, string>();

/** The statement with its tables in braces, where a shard puts the names of its own. */
export function forShards(text: string): string {
  return withPlaces.getOrInsertComputed(text, () => text.replace(tables, '{$&}'));
}

function parametersOf({ text, name }: ShardStatement, jobs: ShardJob[], hasRows: boolean): unknown[] {
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
