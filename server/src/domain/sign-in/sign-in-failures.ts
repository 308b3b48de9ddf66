import type { Deps } from '../../deps.ts';
import { insertEntries } from '../../store/archive/archive.ts';
import type { Owner } from '../../store/sign-in/owners.ts';
import type { FailureRow } from '../../store/sign-in/sign-in-failures.ts';
import * as store from '../../store/sign-in/sign-in-failures.ts';
import { deployment } from '../archive/archive.ts';
import { inBatches } from '../shared/in-batches.ts';
import { hashSecret } from '../shared/secrets.ts';

/**
 * A visitor at the sign-in page, who may turn out to be anybody; `device` is their browser's cookie (devices.ts), `browser` what
 * people call it.
 */
export type Attempt = { address: string; device: string | null; traceId: string | null; browser: string };

const countedMs = 60 * 1000;

/**
 * Counts a failed sign-in. An account that doesn't exist is counted too, so that it takes the same time. The entry is
 * written later, so that guessing neither fills the archive nor delays the advisor's texts.
 */
export async function countFailure(
  deps: Deps,
  account: string,
  owner: Owner | null,
  { method, address, traceId }: Pick<FailureRow, 'method' | 'address' | 'traceId'>,
): Promise<void> {
  const { advisorId = null, staffId = null } = owner ?? {};
  const failure = { accountHash: hashSecret(`sign-in of ${account}`), advisorId, staffId, method, address, traceId };
  await store.upsertFailure(deps.db, failure, deps.clock.now());
}

/** Archives how often each account's sign-in failed by each method: at most one entry a minute. */
export async function archiveFailures(deps: Deps): Promise<void> {
  const before = new Date(deps.clock.now().getTime() - countedMs);
  await inBatches(deps, (limit) =>
    deps.db.transaction(async (db) => {
      const counted = await store.deleteFailures(db, before, limit);
      const entries = counted.flatMap((each) => ((each.advisorId ?? each.staffId) === null ? [] : entryOf(each)));
      await insertEntries(db, entries, deps.clock.now());
      return counted.length;
    }),
  );
}

function entryOf({ advisorId, staffId, method, failures, address, traceId, firstFailed, lastFailed }: FailureRow) {
  const meta = { action: 'sign-in failed', ...(staffId !== null && { staffId }), method, failures };
  const body = JSON.stringify({ address, firstFailed, lastFailed });
  const entry = { kind: 'sign_in', memberId: null, actor: 'visitor', traceId, meta, body } as const;
  return { ...entry, advisorId: advisorId ?? deployment };
}
