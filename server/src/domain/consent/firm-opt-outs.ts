import { type Deps, inTransaction } from '../../deps.ts';
import { lockHeads } from '../../store/archive/archive.ts';
import { lockUnstopped } from '../../store/consent/firm-opt-outs.ts';
import { firmNumberSlots, lockFirmSlot } from '../../store/members/firm-numbers.ts';
import * as accounts from '../accounts/firms.ts';
import { type By, byOperator } from '../archive/archive.ts';
import { stopElsewhere } from '../archive/consent-entries.ts';
import { otherFormOf } from '../shared/phone-numbers.ts';
import { laterOf } from '../shared/time.ts';
import { type Move, moveConsent } from './consents.ts';

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
    const members = await lockUnstopped(deps.db, { firmId, slot }, otherFormOf);
    await lockHeads(
      deps.db,
      members.map(({ advisorId }) => advisorId),
    );
    for (const { stopAdvisorId, stopAt, stopMeta, stopBody, ...member } of members) {
      const found = stopElsewhere(member.advisorId, { stopAdvisorId, stopAt, stopMeta, stopBody });
      const move: Move = { member, to: 'opted_out', ...found };
      const act = { advisorId: member.advisorId, by, now: deps.clock.now() };
      await moveConsent(deps, act, move, { stoppedAt: laterOf(member.stoppedAt, stopAt) });
    }
  });
}
