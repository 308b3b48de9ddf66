import { Readable } from 'node:stream';
import type { Deps } from '../../src/deps.ts';
import { getAdvisor } from '../../src/domain/accounts/advisors.ts';
import { archiveSetting } from '../../src/domain/accounts/settings.ts';
import { archive, byOperator, byPerson } from '../../src/domain/archive/archive.ts';
import { growTree } from '../../src/domain/archive/archive-tree.ts';
import type { KeptCopies } from '../../src/domain/archive/archive-verification.ts';
import { makeNoteSigner, makeSigningKey } from '../../src/domain/archive/signed-notes.ts';
import { entryHash } from '../../src/domain/examiner/entries.mjs';
import type { KeptLeaf } from '../../src/domain/ports.ts';
import * as store from '../../src/store/archive/archive-tree.ts';
import { connect } from '../../src/store/database/pool.ts';
import { appRole } from '../../src/store/database/schema/migrate.ts';
import { makeDatabase, type TestDatabase } from '../support/database.ts';
import { depsOn } from '../support/deps.ts';
import { makeOlder, yearsMs } from './passing-years.ts';
import { makeSmallBook } from './small-book.ts';

export const signer = makeNoteSigner('test.example/archive', makeSigningKey());

/** An archive with a few entries of two advisors, a checkpoint after every few of them, and copies outside the database. */
export type SmallArchive = {
  advisors: [number, number];
  firmId: number;
  /** A third one, with people and texts. */
  cat: number;
  /** Its own checkpoints, and copies from when the archive was smaller. */
  kept: KeptCopies;
  /** A copy of the archive, to tamper with. */
  copy(): Promise<TestDatabase>;
  /** A copy from when it had only half of the entries. */
  backup(): Promise<TestDatabase>;
  drop(): Promise<void>;
};

export const rounds = 10;
export const entriesEach = 3;
/** The first entries of each advisor are eight years old, those after them three, and the second half is new. */
export const [lastOfEightYears, lastOfThreeYears] = [9, 15];

export function archiveDepsOn(db: Deps['db']): Deps {
  return depsOn(db, { signer });
}

export async function makeSmallArchive(): Promise<SmallArchive> {
  const whole = await makeDatabase();
  const { advisors, firmId } = await makeAdvisors(whole);
  await connected(whole, (deps) => fill(deps, advisors, lastOfEightYears / entriesEach));
  await makeOlder(whole, yearsMs(5));
  await connected(whole, (deps) => fill(deps, advisors, (lastOfThreeYears - lastOfEightYears) / entriesEach));
  await makeOlder(whole, yearsMs(3));
  const half = await clone(whole);
  const { cat, kept } = await connected(whole, async (deps) => {
    await fill(deps, advisors, rounds / 2, (advisorId) => archiveAdvisor(deps, advisorId));
    const cat = await makeSmallBook(deps, firmId);
    await growTree(deps);
    return { cat, kept: await keep(deps) };
  });
  return {
    advisors,
    firmId,
    cat,
    kept,
    copy: () => clone(whole),
    backup: () => clone(half),
    async drop() {
      await half.drop();
      await whole.drop();
    },
  };
}

/** Bypasses the domain, which would write entries about them at once. */
async function makeAdvisors({ asOwner }: TestDatabase): Promise<Pick<SmallArchive, 'advisors' | 'firmId'>> {
  const rows = await asOwner<{ id: number; firmId: number }>(
    `with firm as (insert into firms (name, date_time_created) values ('Test Wealth', now()) returning firm_id)
     insert into advisors (firm_id, name, email, time_zone, date_time_created)
     select firm_id, name, name || '@test.example', 'UTC', now()
     from firm, unnest(array['ann', 'bob']) as name
     returning advisor_id::integer as id, firm_id::integer as "firmId"`,
  );
  return { advisors: rows.map(({ id }) => id) as [number, number], firmId: rows[0]?.firmId ?? 0 };
}

/** A database with open connections can't be copied, so the work gets a pool that is closed afterwards. */
async function connected<Result>({ url }: TestDatabase, work: (deps: Deps) => Promise<Result>): Promise<Result> {
  const pool = connect({ connectionString: url, size: 2, timeoutMs: 5_000, role: appRole });
  const result = await work(archiveDepsOn(pool));
  await pool.end();
  return result;
}

/** With `last`, that writes the last entry of each advisor. */
async function fill(
  deps: Deps,
  advisors: number[],
  count: number,
  last?: (advisorId: number) => Promise<void>,
): Promise<void> {
  for (let round = 0; round < count; round += 1) {
    for (const advisorId of advisors)
      for (let each = 0; each < entriesEach; each += 1) {
        if (last && round === count - 1 && each === entriesEach - 1) await last(advisorId);
        else
          await archive(deps, byPerson, {
            advisorId,
            kind: 'text_in',
            memberId: null,
            meta: { round, each },
            body: `Text ${round}/${each} to ${advisorId}`,
          });
      }
    await growTree(deps);
  }
}

async function archiveAdvisor(deps: Deps, advisorId: number): Promise<void> {
  const advisor = await getAdvisor(deps, String(advisorId));
  const { firmId } = advisor;
  await archiveSetting(deps, byOperator, { advisorId, what: 'advisor added', of: { firmId }, values: advisor });
}

/** The copies that a folder outside the database would have by now. */
async function keep({ db }: Deps): Promise<KeptCopies> {
  const { size } = await store.findTree(db);
  const entries = await store.listStoredLeaves(db, 0, size);
  const leaves: KeptLeaf[] = entries.map((entry) => ({ ...entry, hash: entryHash(entry) }));
  const notes = (await store.listCheckpointsAfter(db, 0, 1_000)).map(({ note }) => note);
  return { notes: () => [Readable.from(notes)], leaves: async (from, to) => leaves.slice(from, to) };
}

function clone(of: TestDatabase): Promise<TestDatabase> {
  const { ASSENT_TEST_DATABASE: administration = '' } = process.env;
  return makeDatabase({ size: 2, server: { administration, template: new URL(of.url).pathname.slice(1) } });
}
