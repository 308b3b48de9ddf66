import type { Deps } from '../../deps.ts';
import { insertEntries } from '../../store/archive/archive.ts';
import type { FailureRow } from '../../store/sign-in/sign-in-failures.ts';
import * as store from '../../store/sign-in/sign-in-failures.ts';
import { archive, type By } from '../archive/archive.ts';
import { inBatches } from '../shared/batches.ts';
import { hashSecret } from '../shared/secrets.ts';

/** What the archive keeps of who came in for an advisor: never a password, a token or a key. */
export type SignInEvent = {
  action: 'signed in' | 'passkey added' | 'passkey removed' | 'application allowed' | 'application disconnected';
  of: Record<string, number | string>;
  values: object;
};

/** A visitor at the sign-in page, as far as it is known who that is. */
export type Attempt = { address: string; traceId: string | null };

const countedMs = 60 * 1000;

/** Writes it down in the advisor's book, in the transaction that makes it true. */
export async function archiveSignIn(
  deps: Deps,
  by: By,
  advisorId: number,
  { action, of, values }: SignInEvent,
): Promise<void> {
  const entry = { advisorId, kind: 'sign_in', memberId: null, meta: { action, ...of } } as const;
  await archive(deps, by, { ...entry, body: JSON.stringify(values) });
}

/**
 * Counts a sign-in that failed. An account that nobody has is counted too, so that it takes the same time; and the entry
 * is written later, so that who guesses neither fills the archive nor holds up the advisor's texts.
 */
export async function noteFailure(
  deps: Deps,
  account: string,
  { advisorId, method, address, traceId }: Attempt & { advisorId: number | null; method: FailureRow['method'] },
): Promise<void> {
  const failure = { accountHash: hashSecret(`sign-in of ${account}`), advisorId, method, address, traceId };
  await store.upsertFailure(deps.db, failure, deps.clock.now());
}

/** An entry for each advisor and way to sign in, with how often it failed: at most one a minute. */
export async function archiveFailures(deps: Deps): Promise<void> {
  const before = new Date(deps.clock.now().getTime() - countedMs);
  await inBatches((limit) =>
    deps.db.transaction(async (db) => {
      const counted = await store.deleteFailures(db, before, limit);
      const entries = counted.flatMap((each) => (each.advisorId === null ? [] : entryOf(each, each.advisorId)));
      await insertEntries(db, entries, deps.clock.now());
      return counted.length;
    }),
  );
}

function entryOf({ method, failures, address, traceId, firstFailed, lastFailed }: FailureRow, advisorId: number) {
  const meta = { action: 'sign-in failed', method, failures };
  const body = JSON.stringify({ address, firstFailed, lastFailed });
  return { advisorId, kind: 'sign_in', memberId: null, actor: 'visitor', traceId, meta, body } as const;
}
