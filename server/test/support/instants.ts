import assert from 'node:assert/strict';
import type { ConsentState } from '../../src/store/consent/consents.ts';
import { appRole } from '../../src/store/database/migrate.ts';
import type { TextKind } from '../../src/store/messages/messages.ts';
import type { TestDatabase } from './database.ts';

/**
 * Gives every attempt and every archive entry an instant of its own, from one sequence.
 *
 * Times can't order what two connections do, and neither can transaction ids, which are given out when a transaction
 * begins. These instants can. An attempt's is drawn while its transaction holds the member's row `for share`, that of a
 * change of consent while its transaction holds the same row `for update`; the two locks exclude each other until the
 * commit. So whichever instant is smaller belongs to the transaction that had the lock first, and that was committed
 * before the other one got it.
 */
export async function drawInstants(database: TestDatabase): Promise<void> {
  await database.asOwner('create sequence instants');
  await database.asOwner(`grant usage on sequence instants to ${appRole}`);
  for (const table of ['attempts', 'archive_entries'])
    await database.asOwner(`alter table ${table} add column instant bigint default nextval('instants')`);
}

export type ConsentChange = { phone: string; to: ConsentState; instant: number };
export type Attempt = { phone: string; kind: TextKind; instant: number };

/** No attempt was committed for a person whose consent said otherwise at that instant. */
export function assertConsented(attempts: Attempt[], changes: ConsentChange[], consentRequired: boolean): void {
  const changesOf = Map.groupBy(
    changes.toSorted((a, b) => a.instant - b.instant),
    ({ phone }) => phone,
  );
  for (const attempt of attempts) {
    const state = changesOf.get(attempt.phone)?.findLast(({ instant }) => instant < attempt.instant)?.to ?? 'none';
    assert.ok(mayGo(attempt.kind, state, consentRequired), `${JSON.stringify(attempt)} was begun in state ${state}`);
  }
}

/** The rules once more, in other words than the gate's. */
export function mayGo(kind: TextKind, state: ConsentState, consentRequired: boolean): boolean {
  if (kind === 'help') return true;
  if (kind === 'opt_out') return state === 'opted_out';
  if (state === 'opted_out') return false;
  const needsConsent = kind === 'opt_in' || (kind === 'text' && consentRequired);
  return !needsConsent || state === 'accepted';
}
