import type pg from 'pg';
import { breaks, connectIn, send } from '../connecting/connections.ts';
import type { Db } from '../db.ts';
import { translated } from '../errors.ts';

export type Lookups = { query: Db['query']; open(): Promise<void>; end(): Promise<void> };

const inFlightMax = 200;
/** A row by its key, or a short page, takes a tenth of this. */
const slowMs = 20;

/**
 * One connection, a pipelined one, for statements that are always short. Each is sent without waiting for those before it,
 * which halves its cost: a connection of its own would be lent, asked and taken back for each. They wait behind each other, so
 * while one is slow, or too many are under way, the others go another way. So do those whose connection breaks: they change
 * nothing.
 */
export function makeLookups(pool: pg.Pool, otherwise: Db['query']): Lookups {
  let opening: Promise<pg.PoolClient> | null = null;
  let inFlight = 0;
  let movedAtMs = 0;

  function connection(): Promise<pg.PoolClient> {
    if (opening) return opening;
    const opened = connectIn(pool);
    opening = opened;
    // One that dies while nobody uses it is replaced before the next one does.
    opened.then((client) => client.once('end', () => drop(opened))).catch(() => drop(opened));
    return opened;
  }

  function drop(broken: Promise<pg.PoolClient>): void {
    if (opening !== broken) return;
    opening = null;
    broken.then((client) => client.release(true)).catch(() => {});
  }

  function isBusy(): boolean {
    return inFlight >= inFlightMax || (inFlight > 0 && performance.now() - movedAtMs > slowMs);
  }

  async function query<Row extends object>(text: string, values?: unknown[], name?: string): Promise<Row[]> {
    if (isBusy()) return otherwise<Row>(text, values, name);
    if (inFlight === 0) movedAtMs = performance.now();
    inFlight += 1;
    const used = connection();
    try {
      const client = await used;
      return (await send<Row>(client, { text, values, name })).rows;
    } catch (error) {
      if (!breaks(pool, error)) throw translated(error);
      drop(used);
      return otherwise<Row>(text, values, name);
    } finally {
      inFlight -= 1;
      movedAtMs = performance.now();
    }
  }

  return {
    query,
    open: async () => void (await connection()),
    async end() {
      if (opening) drop(opening);
      await pool.end();
    },
  };
}
