import type { Deps } from '../../deps.ts';
import type { ClaimedLookup } from '../../store/texting/number-lookups.ts';
import * as store from '../../store/texting/number-lookups.ts';
import type { Recipient } from '../../store/texting/recipients.ts';
import type { LineType, OpenCarrier } from '../ports.ts';
import { inBatches } from '../shared/in-batches.ts';
import { dayMs, realTimeIn } from '../shared/time.ts';

/** Landlines and numbers that don't exist, known before they are texted, if the operator pays for asking the carrier. */

/** How many a node asks a carrier at once, and so in a second. */
const eachMax = 5;
const leaseMs = 60_000;
const pauseMs = 60_000;
const failuresMax = 5;
const validMs = 30 * dayMs;
/** Also for a number that couldn't be looked up. */
const unknownValidMs = dayMs;

/**
 * Has the numbers of people who are about to be texted looked up, inside a transaction: the text doesn't wait for it. Somebody who
 * has texted us can be texted, so there is nothing to ask.
 */
export async function wantLookups({ db, carriers, databaseClock }: Deps, recipients: Recipient[]): Promise<void> {
  const wanted = recipients.flatMap(({ phone, carrierId, isLookedUp, lastReplyAt }) =>
    !isLookedUp && !lastReplyAt && carrierId !== null && carriers.find(carrierId)?.looksUp
      ? [{ phone, carrierId }]
      : [],
  );
  if (wanted.length > 0) await store.insertLookups(db, wanted, databaseClock.now());
}

/** Asks the carriers about numbers that are due, each number once for all nodes. */
export async function lookUpNumbers(deps: Deps, report: (carrier: string, why: string) => void): Promise<void> {
  const realNow = deps.databaseClock.now();
  const claim = { realNow, until: new Date(realNow.getTime() + leaseMs), limit: eachMax };
  await Promise.all(
    deps.carriers.list().map(async (open) => {
      if (!open.looksUp) return;
      const lookups = await store.claimLookups(deps.db, open.carrierId, claim);
      await Promise.all(lookups.map((lookup) => lookUp(deps, open, lookup, report)));
    }),
  );
}

/** Also those that nobody asks for any more, since their carrier has stopped looking numbers up. */
export async function forgetOldLookups(deps: Deps): Promise<void> {
  const times = { realNow: deps.databaseClock.now(), unasked: realTimeIn(deps, -dayMs) };
  await inBatches(deps, (limit) => store.deleteOldLookups(deps.db, times, limit));
}

async function lookUp(
  { db, databaseClock }: Deps,
  { name, carrier }: OpenCarrier,
  { phone, failures }: ClaimedLookup,
  report: (carrier: string, why: string) => void,
): Promise<void> {
  try {
    const lineType = (await carrier.lookUp?.(phone)) ?? 'unknown';
    await store.updateAnsweredLookup(db, phone, { lineType, validUntil: validUntil(databaseClock, lineType) });
  } catch (error) {
    report(name, error instanceof Error ? error.message : String(error));
    const again = realTimeIn({ databaseClock }, pauseMs * 2 ** failures);
    if (failures + 1 < failuresMax) await store.updateFailedLookup(db, phone, { failures: failures + 1, again });
    else
      await store.updateAnsweredLookup(db, phone, {
        lineType: 'unknown',
        validUntil: validUntil(databaseClock, 'unknown'),
      });
  }
}

function validUntil(databaseClock: Deps['databaseClock'], lineType: LineType): Date {
  return realTimeIn({ databaseClock }, lineType === 'unknown' ? unknownValidMs : validMs);
}
