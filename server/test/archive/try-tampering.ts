import pg from 'pg';
import type { Deps } from '../../src/deps.ts';
import { addStaff } from '../../src/domain/accounts/staff.ts';
import { growTree } from '../../src/domain/archive/archive-tree.ts';
import { type Verification, verifyArchive } from '../../src/domain/archive/archive-verification.ts';
import { addHold } from '../../src/domain/record-keeping/holds.ts';
import type { Pool, Transaction } from '../../src/store/database/db.ts';
import { DatabaseUnable } from '../../src/store/database/errors.ts';
import { connect } from '../../src/store/database/pool.ts';
import { appRole } from '../../src/store/database/schema/migrate.ts';
import type { TestDatabase } from '../support/database.ts';
import { tryWalls } from './guard-tampering.ts';
import { tryOutside } from './outside-tampering.ts';
import { archiveDepsOn, type SmallArchive, signer } from './small-archive.ts';
import { type Sql, type Tampering, tamperings, type Who } from './tampering.ts';

export type TamperingOutcome = {
  name: string;
  who: Who;
  outcome: 'refused' | 'detected' | 'missed';
  named: boolean;
  said: string;
};

const everybody: Who[] = ['application', 'owner', 'superuser'];

/** Tries every kind of tampering as each role, and returns the outcomes. */
export async function tryTampering(archive: SmallArchive, whos = everybody): Promise<TamperingOutcome[]> {
  const outcomes: TamperingOutcome[] = [];
  for (const who of whos)
    for (const isHeld of [false, true]) {
      const copy = await makeCopy(archive, who, isHeld);
      for (const tampering of tamperings)
        if ((tampering.isHeld ?? false) === isHeld) outcomes.push(await tryOne(copy.pool, archive, tampering, who));
      await copy.drop();
    }
  outcomes.push(await tryBackup(archive), ...(await tryOutside(archive)), ...(await tryWalls()));
  return outcomes;
}

/** A copy on which somebody tampers, with all that they can remove removed, and connections of theirs. */
async function makeCopy(
  archive: SmallArchive,
  who: Who,
  isHeld: boolean,
): Promise<{ pool: Pool; drop(): Promise<void> }> {
  const database = await archive.copy();
  if (isHeld) await holdAll(archiveDepsOn(database.pool), archive.firmId);
  if (who !== 'application') await removeWalls(database, who);
  const pool = connect({ connectionString: database.url, size: 2, timeoutMs: 30_000, role: roles[who] });
  return {
    pool,
    async drop() {
      await pool.end();
      await database.drop();
    },
  };
}

/** An honest hold on the firm, signed. */
async function holdAll(deps: Deps, firmId: number): Promise<void> {
  const staff = await addStaff(deps, { firmId, name: 'Sue', email: 'sue@test.example' });
  await addHold(deps, { firmId }, { reason: 'Smith v. Jones', staff });
  await growTree(deps);
}

/**
 * Tampers and verifies in a transaction that is rolled back, so one copy serves every kind. All as one role: in a distributed database
 * another would not see what this one changed.
 */
async function tryOne(
  pool: Pool,
  archive: SmallArchive,
  { name, names, before, tamper }: Tampering,
  who: Who,
): Promise<TamperingOutcome> {
  const { advisors, cat, firmId } = archive;
  const [ann, bob] = advisors;
  const rollback = new Error('Everything is as before.');
  let found: Verification | undefined;
  try {
    await pool.transaction(async (db) => {
      const sign = async () => void (await growTree(archiveDepsOn(db)));
      const target = { sql: sqlOf(db), ann, bob, cat, firmId, sign };
      await before?.(target);
      await tamper(target);
      // As at the commit, which never comes.
      await db.query('set constraints all immediate');
      found = await verify(oneByOne(db), archive);
      throw rollback;
    });
  } catch (error) {
    const cause = error instanceof DatabaseUnable ? error.cause : error;
    const isRefused = cause instanceof pg.DatabaseError && ['42501', '58C00'].includes(cause.code ?? '');
    if (isRefused) return { name, who, outcome: 'refused', named: true, said: cause.message };
    if (error !== rollback || !found) throw error;
  }
  const { verdict, faults } = found as Verification;
  const wanted = typeof names === 'string' ? names.replace('cat', `${cat}`) : `entry ${names} of advisor ${ann}`;
  const [first] = faults;
  const outcome = verdict === 'intact' ? 'missed' : 'detected';
  const named = faults.some(({ entry }) => entry.startsWith(wanted));
  return { name, who, outcome, named, said: first ? `${first.entry}: ${first.what}` : verdict };
}

/** A transaction has one connection: what verification asks at once is asked one by one. */
function oneByOne(db: Transaction): Transaction {
  let last: Promise<unknown> = Promise.resolve();
  const query: Transaction['query'] = (...given) => {
    const rows = last.then(() => db.query(...given)) as Promise<never>;
    last = rows.catch(() => {});
    return rows;
  };
  return { ...db, query };
}

/** Restores an older backup of the whole database. */
async function tryBackup(archive: SmallArchive): Promise<TamperingOutcome> {
  const database = await archive.backup();
  const said = await verify(database.pool, archive);
  await database.drop();
  const [first] = said.faults;
  const named = first?.entry === `entry 16 of advisor ${archive.advisors[0]}`;
  const outcome = said.verdict === 'intact' ? 'missed' : 'detected';
  const name = 'the whole database put back to an older backup';
  return { name, who: 'superuser', outcome, named, said: first ? `${first.entry}: ${first.what}` : said.verdict };
}

export function verify(db: Deps['db'], { kept }: Pick<SmallArchive, 'kept'>): Promise<Verification> {
  return verifyArchive(archiveDepsOn(db), { verifiers: [signer.verifier], kept, progress: () => {} });
}

function sqlOf(db: Transaction): Sql {
  return (text, values) => db.query(text, /\$\d/.test(text) ? values : []);
}

const roles: Record<Who, string> = { application: appRole, owner: 'archive_owner', superuser: 'none' };

/** The owner and the superuser can remove the protection of the tables; the application's role can't. */
async function removeWalls({ asOwner }: TestDatabase, who: 'owner' | 'superuser'): Promise<void> {
  const walled = [
    ...['archive_entries', 'archive_bodies', 'archive_runs', 'archive_checkpoints', 'archive_deliveries'],
    ...['retentions', 'holds', 'hold_lifts', 'members'],
  ];
  // By name, Citus would leave those of shards alone.
  for (const table of walled) await asOwner(`alter table ${table} disable trigger user`);
  if (who === 'superuser') return;
  const owned = [
    ...[...walled, 'archive_heads', 'archive_taken', 'archive_tiles', 'archive_tree', 'archive_words', 'sandbox_clock'],
    ...['advisors', 'firms', 'staff', 'reply_media'],
  ];
  const role = roles.owner;
  await asOwner(`do $$ begin create role ${role} login; exception when duplicate_object then null; end $$`);
  for (const table of owned) await asOwner(`alter table ${table} owner to ${role}`);
  await asOwner(`grant all on schema public to ${role}`);
  await asOwner(`grant select on all tables in schema public to ${role}`);
  await asOwner(`grant execute on all functions in schema public to ${role}`);
  await asOwner(`alter function dispose_bodies owner to ${role}`);
}
