import { type Deps, inTransaction } from '../../deps.ts';
import { type ClaimedRow, claimDispatches, updateLease } from '../../store/delivery/claims.ts';
import { failAltered, failDispatches, updateHours } from '../../store/delivery/dispatches.ts';
import { listRecipients } from '../../store/texting/recipients.ts';
import { insertStatusEvents } from '../../store/texting/text-outcomes.ts';
import type { TextKind } from '../ports.ts';
import { realTimeIn } from '../shared/time.ts';
import { beginWithinMs } from '../texting/claimed-texts.ts';
import { allowedStates, gate, heldKinds, owedKinds } from '../texting/gate.ts';
import { endOfLifeAfter } from '../texting/lifetimes.ts';
import { knownRecipient } from '../texting/recipients.ts';

/** What this node knows about a claim of its own: until when it may submit its texts, and which have no outcome yet. */
type Claim = {
  claimId: string;
  carrierId: number;
  dateTimeStarted: Date;
  leasedUntil: Date;
  /** The latest moment to begin one of its texts, by performance.now(). */
  beginBy: number;
  outstanding: Set<number>;
  /** When the last of its texts to each member was handed over. */
  begunMs: Map<number, number>;
};

/** A text that this node may hand to the carrier. */
export type ClaimedText = ClaimedRow & {
  claim: Claim;
  /** Domain time, once it is handed over. */
  begun?: Date;
};

/** A lease outlasts the carrier's timeout by this much, so that the outcome can be written. */
const leaseMarginMs = 5_000;

const kinds: Record<TextKind, true> = {
  text: true,
  consent_request: true,
  reminder: true,
  opt_in: true,
  opt_out: true,
  help: true,
};
/** The gate's table, in the form that the claim compares. */
const allowed = (Object.keys(kinds) as TextKind[]).flatMap((kind) =>
  [true, false].flatMap((required) => allowedStates(kind, required).map((state) => `${kind}:${required}:${state}`)),
);

/**
 * Claims texts of a carrier whose turn it is, with their attempts committed. The gate ran when they were accepted and runs again here:
 * a text that is no longer allowed fails, and so does one whose row isn't what its entry says; one to a person whose reply may mean stop is held, and one outside the
 * recipient's hours waits for the next day or fails. One whose number has another carrier by now is passed to that. `more` says that others may be ready.
 */
export async function claimTexts(
  deps: Deps,
  carrierId: number,
  limit: number,
): Promise<{ texts: ClaimedText[]; more: boolean }> {
  return inTransaction(deps, async (deps) => {
    const realNow = deps.databaseClock.now();
    const leasedUntil = new Date(realNow.getTime() + deps.config.carrierTimeoutMs + leaseMarginMs);
    const claim = { carrierId, limit, realNow, leasedUntil, now: deps.clock.now(), allowed, heldKinds, owedKinds };
    const { rows, hasOthers } = await claimDispatches(deps.db, claim);
    const stopped = rows.filter(({ decision }) => decision !== 'go');
    const failed = await decideAgain(deps, stopped);
    const altered = await refuseAltered(deps, stopped);
    deps.db.afterCommit(() => {
      deps.signals.traffic.texts(carrierId, 'failed', failed + altered);
      deps.signals.traffic.texts(carrierId, 'altered', altered);
    });
    // Their new carrier may be waiting for something to do.
    if (stopped.some(({ decision }) => decision === 'moved')) deps.db.afterCommit(() => deps.signals.queued.raise());
    const more = rows.length === limit || stopped.length > 0 || hasOthers;
    // Until the commit, which comes next, a STOP waits for the claim. After it, a STOP waits for this moment.
    const beginBy = performance.now() + beginWithinMs;
    return { texts: claimedTexts(rows, { carrierId, dateTimeStarted: claim.now, leasedUntil, beginBy }), more };
  });
}

/** The text as it is handed over. Two to one person begin at two times, so that everybody can tell their order. */
export function begin(text: ClaimedText, now: Date): ClaimedText {
  const { claim, memberId } = text;
  const begunMs = Math.max(now.getTime(), (claim.begunMs.get(memberId) ?? 0) + 1);
  claim.begunMs.set(memberId, begunMs);
  return { ...text, begun: new Date(begunMs) };
}

/** Gives a claim a whole lease again, at most every few seconds: one of its texts takes longer than most. */
export async function renewLease(
  { db, config, databaseClock }: Pick<Deps, 'db' | 'config' | 'databaseClock'>,
  claim: Claim,
): Promise<void> {
  const leasedUntil = realTimeIn({ databaseClock }, config.carrierTimeoutMs + leaseMarginMs);
  if (leasedUntil.getTime() - claim.leasedUntil.getTime() < leaseMarginMs / 2) return;
  claim.leasedUntil = leasedUntil;
  await updateLease(db, claim.claimId, leasedUntil);
}

function claimedTexts(rows: ClaimedRow[], of: Omit<Claim, 'claimId' | 'outstanding' | 'begunMs'>): ClaimedText[] {
  const going = rows.filter(({ decision }) => decision === 'go');
  const claimId = going[0]?.claimId ?? null;
  if (claimId === null) return [];
  const outstanding = new Set(going.map(({ messageId }) => messageId));
  const claim = { claimId, ...of, outstanding, begunMs: new Map<number, number>() };
  return going.map((row) => ({ ...row, claim }));
}

/** Somebody changed the tables past us. Nobody is texted for it, and someone must find out why. Returns how many there are. */
async function refuseAltered(deps: Deps, stopped: ClaimedRow[]): Promise<number> {
  const altered = stopped.filter(({ decision }) => decision === 'altered');
  await failAltered(deps.db, altered, deps.clock.now());
  for (const text of altered) deps.signals.alteredTexts.add(text);
  return altered.length;
}

/** Returns how many of them fail. */
async function decideAgain(deps: Deps, stopped: ClaimedRow[]): Promise<number> {
  const doubtful = stopped.filter(({ decision }) => decision === 'refused' || decision === 'closed');
  const recipients = doubtful.length > 0 ? await listRecipients(deps.db, doubtful) : [];
  const now = deps.clock.now();
  const decisions = doubtful.map((row, index) => {
    const decision = gate(deps, knownRecipient(recipients[index]), row.kind, now, { hasWaited: true });
    if ('refused' in decision) return { ...row, failureCode: decision.refused };
    const { deferredUntil: until } = decision.allowed;
    const expiresAt = until && row.expiresAt ? endOfLifeAfter({ from: now, until }, row.expiresAt) : row.expiresAt;
    return { ...row, ...decision.allowed, expiresAt };
  });
  const failed = stopped.flatMap((row) => {
    if (row.decision === 'expired' || row.decision === 'gone') return { ...row, failureCode: 'expired' };
    if (row.decision !== 'numberless') return [];
    return { ...row, failureCode: row.textingNumber === null ? 'no_texting_number' : 'no_carrier' };
  });
  const refused = decisions.flatMap((each) => ('failureCode' in each ? each : []));
  const rescheduled = decisions.flatMap((each) => ('failureCode' in each ? [] : each));
  await updateHours(deps.db, rescheduled);
  await failDispatches(deps.db, [...failed, ...refused], now);
  const held = stopped.filter(({ decision }) => decision === 'held');
  await insertStatusEvents(deps.db, held, now);
  return failed.length + refused.length;
}
