import { type Deps, inTransaction } from '../../deps.ts';
import { findAdvisor } from '../../store/accounts/advisors.ts';
import { updateConsent } from '../../store/consent/consents.ts';
import { requireStaffOf } from '../accounts/staff.ts';
import { byStaff } from '../archive/archive.ts';
import { problem } from '../problems.ts';
import { e164 } from '../shared/phone-numbers.ts';
import { isBlank } from '../shared/text/text-rules.ts';
import { laterOf } from '../shared/time.ts';
import { claimedTextsBegun } from '../texting/claimed-texts.ts';
import { ensureMembers } from '../texting/recipients.ts';
import type { ConsentStatus } from './consent-lookups.ts';
import { type Move, moveConsent, type RecordedConsent } from './consents.ts';
import { lockArchives, lockOthers, stopOthers } from './firm-opt-outs.ts';

/**
 * Records that a person said stop by other means than a text: on the phone, in a letter, or in a text that a restored database
 * no longer has. It counts like a STOP that was written now, and nothing is sent.
 */
export async function recordOptOut(
  deps: Deps,
  { advisorId, phone, proof, staff }: RecordedConsent,
): Promise<ConsentStatus> {
  const advisor = await findAdvisor(deps.db, String(advisorId));
  if (!advisor) throw problem('not_found', `There is no advisor ${advisorId}.`);
  requireStaffOf(staff, advisor, `record an opt-out for ${advisor.name}`);
  if (!e164.test(phone)) throw problem('invalid_request', `${phone} is not a phone number in E.164.`);
  if (isBlank(proof)) throw problem('invalid_request', 'Proof is needed: what the person said, when and how.');
  const { stopped, ...status } = await inTransaction(deps, async (deps) => {
    const others = await lockOthers(deps, { advisorId, firmId: advisor.firmId }, phone);
    const [member] = await ensureMembers(deps, [{ advisorId, phone }]);
    if (!member) throw new Error('ensureMembers returned no member.');
    const { memberId, state, lastChanged } = member;
    const stopped = [{ advisorId, memberId }, ...others];
    const now = deps.clock.now();
    // No START from before now undoes this.
    const stamps = { stoppedAt: laterOf(member.stoppedAt, now) };
    if (state === 'opted_out') {
      await updateConsent(deps.db, advisorId, memberId, stamps);
      return { memberId, state, lastChanged, stopped };
    }
    await lockArchives(deps, advisorId, others);
    const how = { by: byStaff(staff.staffId), reason: 'recorded', channel: 'paper' } as const;
    const move: Move = { member, to: 'opted_out', reason: how.reason, channel: how.channel, evidence: { proof } };
    await moveConsent(deps, { advisorId, by: how.by, now }, move, stamps);
    await stopOthers(deps, others, { advisorId, ...how, at: now });
    return { memberId, state: 'opted_out' as const, lastChanged: now, stopped };
  });
  await claimedTextsBegun(deps, stopped);
  return status;
}
