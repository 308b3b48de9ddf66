import type { Deps } from '../../deps.ts';
import * as store from '../../store/delivery/dispatches.ts';
import { listRecipients } from '../../store/messages/messages.ts';
import type { TextKind } from '../ports.ts';
import { allowedStates, gate, type Recipient } from '../texting/gate.ts';

/** A text that this node may hand to the carrier, until its lease ends. */
export type ClaimedText = store.ClaimedRow & { leasedUntil: Date };

/** A lease outlasts the carrier's time by this much, for the outcome to be written. */
const leaseMarginMs = 5_000;

const kinds: Record<TextKind, true> = {
  text: true,
  consent_request: true,
  reminder: true,
  opt_in: true,
  opt_out: true,
  help: true,
};
/** The gate's table, as the claim compares it. */
const allowed = (Object.keys(kinds) as TextKind[]).flatMap((kind) =>
  [true, false].flatMap((required) => allowedStates(kind, required).map((state) => `${kind}:${required}:${state}`)),
);

/**
 * Takes texts whose turn it is, with their attempts committed. The gate ran when they were accepted and runs again here:
 * what may no longer go fails, and what came outside the recipient's hours waits for the next day or fails. `more` says
 * that there may be others that are ready.
 */
export async function claimTexts(deps: Deps, limit: number): Promise<{ texts: ClaimedText[]; more: boolean }> {
  return deps.db.transaction(async (db) => {
    const realNow = new Date();
    const leasedUntil = new Date(realNow.getTime() + deps.config.carrierTimeoutMs + leaseMarginMs);
    const claim = { limit, realNow, leasedUntil, now: deps.clock.now(), allowed };
    const rows = await store.claimDispatches(db, claim);
    const held = rows.filter(({ decision }) => decision !== 'go');
    await decideAgain({ ...deps, db }, held);
    const texts = rows.filter(({ decision }) => decision === 'go').map((row) => ({ ...row, leasedUntil }));
    return { texts, more: rows.length === limit || held.length > 0 };
  });
}

async function decideAgain(deps: Deps, held: store.ClaimedRow[]): Promise<void> {
  const doubtful = held.filter(({ decision }) => decision === 'refused' || decision === 'closed');
  const recipients = doubtful.length > 0 ? await listRecipients(deps.db, doubtful) : [];
  const now = deps.clock.now();
  const decisions = doubtful.map((row, index) => {
    const decision = gate(deps, { ...recipients[index], phone: row.phone } as Recipient, row.kind, now);
    return 'refused' in decision ? { ...row, failureCode: decision.refused } : { ...row, ...decision.allowed };
  });
  const failed = held.flatMap((row) => {
    if (row.decision === 'expired' || row.decision === 'gone') return { ...row, failureCode: 'expired' };
    return row.decision === 'numberless' ? { ...row, failureCode: 'no_texting_number' } : [];
  });
  const refused = decisions.flatMap((each) => ('failureCode' in each ? each : []));
  await store.failDispatches(deps.db, [...failed, ...refused]);
  await store.updateHours(
    deps.db,
    decisions.flatMap((each) => ('failureCode' in each ? [] : each)),
  );
}
