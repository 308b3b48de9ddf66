import type { Db, Nodes } from '../db.ts';
import { nodesOn } from './nodes.ts';
import type { KnownNodes, ShardConnection } from './shards.ts';

export const hasCitus = `select from pg_extension where extname = 'citus'`;
/** Until `assent migrate` has distributed the tables, one node has them all. */
const isDistributed = `select from pg_dist_partition where logicalrelid = to_regclass('archive_heads')`;

/** What a process knows of how its database is distributed. */
export type Distribution = KnownNodes & {
  /** Asks once, on the connection that wants to know first. Then the response needs no waiting. */
  isDistributed(query: Db['query']): boolean | Promise<boolean>;
};

export function unknownDistribution(): Distribution {
  let known: boolean | null = null;
  return {
    places: new Map(),
    all: [],
    columns: new Map(),
    turn: 0,
    isDistributed: (query) => known ?? ask(query),
  };

  async function ask(query: Db['query']): Promise<boolean> {
    known = (await query(hasCitus)).length > 0 && (await query(isDistributed)).length > 0;
    return known;
  }
}

type Queries = Pick<Db, 'query' | 'find' | 'one' | 'value' | 'has' | 'write' | 'lookUp' | 'lookUpOne' | 'nodes'>;
/** Lookups by key are sent together. */
type Plain = Pick<Db, 'query' | 'write' | 'lookUp'> & ShardConnection & { gatherRows: Db['lookUp'] };

/** Where the database is distributed, these send a statement about one advisor so that it goes to one node. */
export function routedQueries(plain: Plain, distribution: Distribution): Queries {
  const isDistributed = () => distribution.isDistributed(plain.query);
  let nodes: Nodes | null = null;
  const nodesWhere = (found: boolean): Nodes | null => {
    if (found) nodes ??= nodesOn(plain, distribution);
    return nodes;
  };
  const each =
    <Result>(work: (text: string, values: unknown[], name: string) => Promise<Result>) =>
    (text: string, values?: unknown[], name?: string): Promise<Result> => {
      const known = isDistributed();
      const run = (found: boolean) => work(found ? routed(text) : text, values as unknown[], name as string);
      return typeof known === 'boolean' ? run(known) : known.then(run);
    };
  /** There, keys of several advisors would span nodes, so each is sent alone. */
  async function lookUpRows<Row extends object>(text: string, key: unknown[], name: string): Promise<Row[]> {
    const known = isDistributed();
    if (known === false || !(await known)) return plain.gatherRows<Row>(text, key, name);
    const lists = key.map((part) => [part]);
    return plain.lookUp<Row>(comparedWith(text, '($1::bigint[])[1]'), lists, name);
  }
  return {
    query: each(plain.query) as Db['query'],
    // By the query of whatever this becomes a part of: one shard's, for one.
    async find<Row extends object>(text: string, values?: unknown[], name?: string) {
      return (await this.query<Row>(text, values, name))[0] ?? null;
    },
    async one<Row extends object>(text: string, values?: unknown[], name?: string) {
      const row = await this.find<Row>(text, values, name);
      if (!row) throw new Error('A statement that always has a row had none.');
      return row;
    },
    async value<Value>(text: string, values?: unknown[], name?: string) {
      const [value = null] = Object.values((await this.find(text, values, name)) ?? {});
      return value as Value | null;
    },
    async has(text, values, name) {
      return (await this.find(text, values, name)) !== null;
    },
    write: each(plain.write),
    lookUp: each(plain.lookUp) as Db['lookUp'],
    lookUpOne: async <Row extends object>(text: string, key: unknown[], name: string) =>
      (await lookUpRows<Row>(text, key, name))[0] ?? null,
    nodes() {
      const known = isDistributed();
      return typeof known === 'boolean' ? nodesWhere(known) : known.then(nodesWhere);
    },
  };
}

// A distributed database sends a statement to the node that has its rows only if every table in it is compared with the same
// advisor. Statements of the store name the advisor once, and compare the other tables with that row.

/** The parameter with the advisor; not where a null stands for all of them. */
const advisor = /(?<!\bor (?:\w+\.)?)\badvisor_id = (\$\d+)\b/;
const sameAdvisor = /\badvisor_id = (?:\w+\.advisor_id\b|\(select advisor_id from asked\))/g;

const rewritten = new Map<string, string>();

/** The statement with the advisor's parameter in place of other rows' advisors. */
export function routed(text: string): string {
  let found = rewritten.get(text);
  if (found === undefined) {
    const parameter = text.match(advisor)?.[1] ?? (text.includes('$1::bigint as advisor_id') ? '$1' : null);
    found = parameter ? comparedWith(text, parameter) : text;
    rewritten.set(text, found);
  }
  return found;
}

function comparedWith(text: string, parameter: string): string {
  return text.replace(sameAdvisor, `advisor_id = ${parameter}`);
}
