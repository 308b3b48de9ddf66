import type { Db } from '../db.ts';
import { comparedWith, routed } from './routing.ts';

export const hasCitus = `select from pg_extension where extname = 'citus'`;
/** Until `assent migrate` has distributed the tables, one node has them all, and their triggers are still there. */
const asked = `
  select exists (${hasCitus}) and not exists (
    select
    from pg_trigger
    where tgname = 'contacts_inserted' and tgrelid = to_regclass('contacts')
  ) as found`;

export type DistributedAsker = (query: Db['query']) => boolean | Promise<boolean>;

/** Asks once, on the connection that wants to know first, whether the database is distributed. */
export function distributedAsker(): DistributedAsker {
  let known: boolean | null = null;
  return (query) =>
    known ??
    query<{ found: boolean }>(asked).then(([row]) => {
      known = row?.found ?? false;
      return known;
    });
}

type Queries = Pick<Db, 'query' | 'write' | 'lookUp' | 'lookUpOne'>;

/** Where the database is distributed, these send a statement about one advisor so that it goes to one node. */
export function routedQueries(plain: Queries, isDistributed: () => boolean | Promise<boolean>): Queries {
  const each =
    <Result>(work: (text: string, values: unknown[], name: string) => Promise<Result>) =>
    (text: string, values?: unknown[], name?: string): Promise<Result> => {
      const known = isDistributed();
      const run = (found: boolean) => work(found ? routed(text) : text, values as unknown[], name as string);
      return typeof known === 'boolean' ? run(known) : known.then(run);
    };
  return {
    query: each(plain.query) as Db['query'],
    write: each(plain.write),
    lookUp: each(plain.lookUp) as Db['lookUp'],
    async lookUpOne<Row extends object>(text: string, key: unknown[], name: string): Promise<Row | null> {
      const known = isDistributed();
      if (known === false || !(await known)) return plain.lookUpOne<Row>(text, key, name);
      const lists = key.map((part) => [part]);
      const [found] = await plain.lookUp<Row & { position: number }>(
        comparedWith(text, '($1::bigint[])[1]'),
        lists,
        name,
      );
      if (!found) return null;
      const { position: _, ...row } = found;
      return row as unknown as Row;
    },
  };
}
