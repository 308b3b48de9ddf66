import pg from 'pg';
import { listWeakened } from '../../src/store/database/schema/inspection.ts';
import { appRole } from '../../src/store/database/schema/migrate.ts';
import { makeDatabase } from '../support/database.ts';
import type { Who } from './tampering.ts';
import type { TamperingOutcome } from './try-tampering.ts';

/** A way to weaken a trigger that keeps the archive as it is, and what `assent doctor` must name for it. */
type WallTampering = { name: string; weaken: string; names: string };

export const guardTamperings: WallTampering[] = [
  {
    name: 'a trigger disabled',
    weaken: 'alter table archive_entries disable trigger append_only',
    names: 'append_only on archive_entries is disabled',
  },
  {
    name: 'a trigger that fires except for replication',
    weaken: 'alter table archive_bodies enable trigger append_only',
    names: 'append_only on archive_bodies can be switched off',
  },
  {
    name: 'a trigger that fires for replication only',
    weaken: 'alter table archive_runs enable replica trigger append_only',
    names: 'append_only on archive_runs is only enabled for replication',
  },
  {
    name: 'a trigger dropped',
    weaken: 'drop trigger consent_changed on members',
    names: 'consent_changed on members was dropped',
  },
  {
    name: 'a trigger with a condition of its own',
    weaken: `drop trigger written_by_function on archive_entries;
      create trigger written_by_function before insert on archive_entries for each row when (new.kind = 'none')
        execute function refuse_direct_entry();
      alter table archive_entries enable always trigger written_by_function`,
    names: 'written_by_function on archive_entries is a different one',
  },
  {
    name: 'a trigger’s function replaced',
    weaken: `create or replace function refuse_change() returns trigger language plpgsql as 'begin return null; end'`,
    names: 'append_only on archive_checkpoints calls refuse_change(), which was replaced',
  },
];

/** Each in a transaction that is rolled back. On Citus, database/citus.test.ts weakens a shard. */
export async function tryWalls(): Promise<TamperingOutcome[]> {
  const database = await makeDatabase();
  if (await database.pool.nodes()) {
    await database.drop();
    return [];
  }
  const client = new pg.Client({ connectionString: database.url });
  await client.connect();
  const outcomes: TamperingOutcome[] = [];
  for (const who of ['application', 'superuser'] as const)
    for (const tampering of guardTamperings) outcomes.push(await tryOne(client, tampering, who));
  await client.end();
  await database.drop();
  return outcomes;
}

async function tryOne(client: pg.Client, { name, weaken, names }: WallTampering, who: Who): Promise<TamperingOutcome> {
  await client.query('begin');
  try {
    if (who === 'application') await client.query(`set local role ${appRole}`);
    await client.query(weaken);
    const weakened = await listWeakened(client);
    const named = weakened.some((each) => each.startsWith(names));
    return { name, who, outcome: weakened.length > 0 ? 'detected' : 'missed', named, said: weakened.join('; ') };
  } catch (error) {
    if (!(error instanceof pg.DatabaseError && error.code === '42501')) throw error;
    return { name, who, outcome: 'refused', named: true, said: error.message };
  } finally {
    await client.query('rollback');
  }
}
