import { type Deps, inTransaction } from '../../deps.ts';
import { findOptOutScopeForShare } from '../../store/accounts/firms.ts';
import { lockHeads } from '../../store/archive/archive.ts';
import { updateConsent } from '../../store/consent/consents.ts';
import { type FirmMember, lockFirmMembers, lockUnstopped } from '../../store/consent/firm-opt-outs.ts';
import { firmNumberSlots, lockFirmNumber, lockFirmSlot } from '../../store/members/firm-numbers.ts';
import * as accounts from '../accounts/firms.ts';
import { type By, byOperator } from '../archive/archive.ts';
import { type Channel, evidenceOfStop, type Proof, type Reason } from '../archive/consent-entries.ts';
import { laterOf } from '../shared/time.ts';
import { type Move, moveConsent } from './consents.ts';

/**
 * In a firm whose opt-out scope is `firm`, a stop to one advisor opts the number out for every advisor who knows it, each with
 * its own entry, and for everybody who gets to know it later (members/known-numbers.ts). Every way into opted_out counts:
 * a STOP, wording that means it, NO to a request, a reviewer's decision, and the carrier's word, since the person gave that
 * stop to the carrier for one of the firm's numbers. START reopens only the advisor it was sent to.
 */

export type { FirmMember } from '../../store/consent/firm-opt-outs.ts';

/**
 * The members of the firm's other advisors whom a stop of this number would opt out; none where it counts for one advisor.
 * They are locked together with the advisor's own, in the usual order, so this comes before any other lock on a member.
 * Two stops of a number to two advisors take turns.
 */
export async function lockOthers(
  deps: Deps,
  { advisorId, firmId }: { advisorId: number; firmId: number },
  phone: string,
): Promise<FirmMember[]> {
  if ((await findOptOutScopeForShare(deps.db, firmId)) !== 'firm') return [];
  await lockFirmNumber(deps.db, firmId, phone);
  const members = await lockFirmMembers(deps.db, firmId, phone);
  return members.filter((member) => member.advisorId !== advisorId);
}

/** Locks the archives that a stop adds to. Heads come after everything else. */
export async function lockArchives(deps: Deps, advisorId: number, others: FirmMember[]): Promise<void> {
  if (others.length > 0) await lockHeads(deps.db, [advisorId, ...others.map((other) => other.advisorId)]);
}

/** A stop to an advisor: how it came, and when it counts as written. */
export type Stop = { advisorId: number; by: By; reason: Reason; channel: Channel; at: Date; reply?: Proof['reply'] };

/** Extends a stop to the others. Nothing is sent: the advisor who got the stop confirms it. */
export async function stopOthers(
  deps: Deps,
  others: FirmMember[],
  { advisorId, by, reason, channel, at, reply }: Stop,
): Promise<{ moved: boolean; outOfOrder: boolean }> {
  const evidence: Proof = { ...(reply ? { reply } : {}), stop: { advisorId, reason } };
  const done = { moved: false, outOfOrder: false };
  for (const member of others) {
    const stamps = { stoppedAt: laterOf(member.stoppedAt, at) };
    if (member.state === 'opted_out') {
      await updateConsent(deps.db, member.advisorId, member.memberId, stamps);
      continue;
    }
    const act = { advisorId: member.advisorId, by, now: deps.clock.now() };
    const move: Move = { member, to: 'opted_out', reason: 'firm_opt_out', channel, evidence };
    await moveConsent(deps, act, move, stamps);
    done.moved = true;
    // Their START to this advisor was written after the stop, but arrived before it.
    if (member.state === 'accepted' && member.startedAt && at < member.startedAt) done.outOfOrder = true;
  }
  return done;
}

/**
 * Changes a firm's settings. If stops count for the whole firm from now on, so do the earlier ones: only an advisor to whom the
 * person agreed after their last stop may go on. If that is interrupted, setting it again does the rest.
 */
export async function setFirm(
  deps: Deps,
  firmId: number,
  change: accounts.FirmChange,
  by: By = byOperator,
): Promise<accounts.Firm> {
  const firm = await accounts.setFirm(deps, firmId, change, by);
  if (change.optOutScope === 'firm')
    for (let slot = 0; slot < firmNumberSlots; slot++) await extendStops(deps, firmId, slot, by);
  return firm;
}

/** A slot of numbers at a time, so that a STOP waits only for a small part of the work. */
async function extendStops(deps: Deps, firmId: number, slot: number, by: By): Promise<void> {
  await inTransaction(deps, async (deps) => {
    await lockFirmSlot(deps.db, firmId, slot);
    const members = await lockUnstopped(deps.db, firmId, slot);
    await lockHeads(
      deps.db,
      members.map(({ advisorId }) => advisorId),
    );
    for (const { stopAdvisorId, stopAt, stopMeta, stopBody, ...member } of members) {
      const found = evidenceOfStop({ stopAdvisorId, stopAt, stopMeta, stopBody });
      const move: Move = { member, to: 'opted_out', reason: 'firm_opt_out', ...found };
      const act = { advisorId: member.advisorId, by, now: deps.clock.now() };
      await moveConsent(deps, act, move, { stoppedAt: laterOf(member.stoppedAt, stopAt) });
    }
  });
}
