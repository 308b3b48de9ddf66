import { type Deps, inTransaction } from '../../deps.ts';
import { updateConsent } from '../../store/consent/consents.ts';
import { findFirmNumber, lockMember } from '../../store/members/members.ts';
import { byCarrier } from '../archive/archive.ts';
import { laterOf } from '../shared/time.ts';
import { type Move, moveConsent } from './consents.ts';
import { lockArchives, lockOthers, stopOthers } from './firm-opt-outs.ts';

/** The carrier says that the person opted out with it, not with us. It sends its own confirmation. */
export async function optOutByCarrier(deps: Deps, advisorId: number, memberId: number): Promise<void> {
  await inTransaction(deps, async (deps) => {
    const number = await findFirmNumber(deps.db, advisorId, memberId);
    if (!number) return;
    const others = await lockOthers(deps, { advisorId, firmId: number.firmId }, number.phone);
    const member = await lockMember(deps.db, advisorId, memberId);
    if (!member) return;
    const now = deps.clock.now();
    // Even if the person has opted out already: no START from before now undoes this. That is no new stop, though: the
    // carrier may mean the STOP that we know, after which the person may have texted START to another advisor.
    const stoppedAt = laterOf(member.stoppedAt, now);
    if (member.state === 'opted_out') return updateConsent(deps.db, advisorId, memberId, { stoppedAt });
    await lockArchives(deps, advisorId, others);
    const how = { by: byCarrier, reason: 'carrier', channel: 'carrier' } as const;
    const optOut: Move = { member, to: 'opted_out', reason: how.reason, channel: how.channel };
    await moveConsent(deps, { advisorId, by: byCarrier, now }, optOut, { stoppedAt });
    await stopOthers(deps, others, { advisorId, ...how, at: now });
  });
}
