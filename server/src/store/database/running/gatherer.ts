import type { Db } from '../db.ts';
import { isDataError } from '../errors.ts';

type Waiter = { key: unknown[]; resolve(rows: FoundRow[]): void; reject(error: unknown): void };
type FoundRow = { position: number };

/** In one statement. */
const keysMax = 100;

/**
 * Lookups by the same statement in one turn of the event loop become one statement with a list of at most `keysMax` keys. Most
 * of what a lookup costs, here and in PostgreSQL, is the statement and not the rows.
 */
export function gatherer(query: Db['query']): Db['lookUp'] {
  const gathered = new Map<string, Waiter[]>();

  function lookUp<Row extends object>(text: string, key: unknown[], name: string): Promise<Row[]> {
    return new Promise((resolve, reject) => {
      const others = gathered.get(name);
      const waiting = others && others.length < keysMax ? others : [];
      if (waiting !== others) {
        gathered.set(name, waiting);
        setImmediate(() => {
          if (gathered.get(name) === waiting) gathered.delete(name);
          void send(text, name, waiting);
        });
      }
      waiting.push({ key, resolve: resolve as unknown as Waiter['resolve'], reject });
    });
  }

  async function send(text: string, name: string, waiting: Waiter[]): Promise<void> {
    try {
      const found: FoundRow[][] = waiting.map(() => []);
      for (const row of await query<FoundRow>(text, listsOf(waiting), name)) found[row.position - 1]?.push(row);
      waiting.forEach(({ resolve }, index) => void resolve(found[index] as FoundRow[]));
    } catch (error) {
      // A key that PostgreSQL doesn't take must not fail the others.
      if (waiting.length > 1 && isDataError(error)) for (const each of waiting) void send(text, name, [each]);
      else for (const { reject } of waiting) reject(error);
    }
  }

  return lookUp;
}

/** A list for each part of the keys. */
function listsOf(waiting: Waiter[]): unknown[][] {
  const [first] = waiting;
  return (first?.key ?? []).map((_, part) => waiting.map(({ key }) => key[part]));
}
