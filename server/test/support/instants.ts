import assert from 'node:assert/strict';
import type { ConsentState } from '../../src/store/consent/consents.ts';
import { hasCitus } from '../../src/store/database/distribution/queries.ts';
import { appRole } from '../../src/store/database/schema/migrate.ts';
import type { TextKind } from '../../src/store/texting/texts.ts';
import type { TestDatabase } from './database.ts';

/** Keeps every attempt that a claim begins in a table, `begun`, with the time; a claim itself is soon gone. */
export const keepAttempts = `
  create table begun (
    advisor_id bigint, message_id bigint, attempt smallint, date_time_started timestamptz,
    -- By the real clock, whatever the sandbox's says.
    began_at timestamptz default clock_timestamp(),
    primary key (advisor_id, message_id, attempt)
  );
  create function keep_attempts() returns trigger language plpgsql security definer as $$
  begin
    insert into begun (advisor_id, message_id, attempt, date_time_started)
    select *, new.date_time_started
    from unnest(new.advisor_ids, new.message_ids, new.attempts);
    return null;
  end
  $$;
  create trigger keep_attempts after insert on claims for each row execute function keep_attempts()`;

/** When the sandbox's phones got a text, by the real clock. */
export const keepArrivals = 'alter table handset_messages add column arrived_at timestamptz default clock_timestamp()';

const bySequence = `nextval('instants')`;
/** The nodes of a distributed database share no sequence, but, all on one machine, its clock. */
const byClock = '(extract(epoch from clock_timestamp()) * 1000000)::bigint';

/**
 * Gives every attempt and every archive entry its own instant, from one sequence.
 *
 * Timestamps can't order the work of two connections, and neither can transaction ids, which are assigned when a
 * transaction begins. These instants can. An attempt draws its instant while its transaction holds the member's row
 * `for share`; a consent change draws its own while its transaction holds the same row `for update`. The two locks exclude
 * each other until the commit. So the smaller instant belongs to the transaction that had the lock first and committed
 * before the other one got it.
 */
export async function drawInstants(database: TestDatabase): Promise<void> {
  await database.asOwner(keepAttempts);
  await database.asOwner(`grant select on begun to ${appRole}`);
  await database.asOwner('create sequence instants');
  await database.asOwner(`grant usage on sequence instants to ${appRole}`);
  const isDistributed = (await database.asOwner(hasCitus)).length > 0;
  for (const table of ['begun', 'archive_entries']) {
    await database.asOwner(`alter table ${table} add column instant bigint`);
    await database.asOwner(
      `alter table ${table} alter column instant set default ${isDistributed ? byClock : bySequence}`,
    );
  }
  // In a distributed database the role inserts what the coordinator drew.
  await database.asOwner(`grant insert (instant) on archive_entries to ${appRole}`);
}

export type ConsentChange = { phone: string; to: ConsentState; instant: number };
export type Attempt = { phone: string; kind: TextKind; instant: number };

/** No attempt was committed that the person's consent didn't allow at that instant. */
export function assertConsented(attempts: Attempt[], changes: ConsentChange[], consentRequired: boolean): void {
  const changesOf = Map.groupBy(
    changes.toSorted((a, b) => a.instant - b.instant),
    ({ phone }) => phone,
  );
  for (const attempt of attempts) {
    const state = changesOf.get(attempt.phone)?.findLast(({ instant }) => instant < attempt.instant)?.to ?? 'none';
    assert.ok(mayGo(attempt.kind, state, consentRequired), `${JSON.stringify(attempt)} was made in state ${state}`);
  }
}

export type Hold = { phone: string; isHeld: boolean; instant: number };

/** No attempt was committed while the person's texts were held. */
export function assertNotHeld(attempts: Attempt[], holds: Hold[]): void {
  const holdsOf = Map.groupBy(
    holds.toSorted((a, b) => a.instant - b.instant),
    ({ phone }) => phone,
  );
  for (const attempt of attempts) {
    if (['help', 'opt_in', 'opt_out'].includes(attempt.kind)) continue;
    const last = holdsOf.get(attempt.phone)?.findLast(({ instant }) => instant < attempt.instant);
    assert.ok(!last?.isHeld, `${JSON.stringify(attempt)} was made although the person’s texts were held`);
  }
}

/** The gate's rules, written a second time in a different way. */
export function mayGo(kind: TextKind, state: ConsentState, consentRequired: boolean): boolean {
  if (kind === 'help') return true;
  if (kind === 'opt_out') return state === 'opted_out';
  if (state === 'opted_out') return false;
  const needsConsent = kind === 'opt_in' || (kind === 'text' && consentRequired);
  return !needsConsent || state === 'accepted';
}
