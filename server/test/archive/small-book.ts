import type { Deps } from '../../src/deps.ts';
import { addAdvisor } from '../../src/domain/accounts/advisors.ts';
import { archiveSetting } from '../../src/domain/accounts/settings.ts';
import { byOperator } from '../../src/domain/archive/archive.ts';
import { claimTexts } from '../../src/domain/delivery/claims.ts';
import { outcomeOf } from '../../src/domain/delivery/outcomes.ts';
import { receiveReceipt } from '../../src/domain/delivery/receipts.ts';
import { knownRecipient } from '../../src/domain/texting/recipients.ts';
import { acceptTexts, textTo } from '../../src/domain/texting/texts.ts';
import { findFirm } from '../../src/store/accounts/firms.ts';
import { sandboxCarrierId } from '../../src/store/carriers/carriers.ts';
import { recordOutcomes } from '../../src/store/delivery/outcomes.ts';
import { listRecipients } from '../../src/store/texting/recipients.ts';
import { setConsent } from '../support/texting.ts';

export const people = { accepted: '+12125550101', stopped: '+12125550102', changed: '+12125550103' };

/**
 * A third advisor, whose tables have something to compare: three people with consent. A text was delivered to one of them, and the
 * deployment's book has the firm. Returns the advisor's id.
 */
export async function makeSmallBook(deps: Deps, firmId: number): Promise<number> {
  const firm = await findFirm(deps.db, firmId);
  await archiveSetting(deps, byOperator, { what: 'firm added', of: { firmId }, values: firm ?? {} });
  const advisor = await addAdvisor(deps, {
    firmId,
    name: 'Cat',
    email: 'cat@test.example',
    textingNumber: '+15005552003',
  });
  const { advisorId } = advisor;
  await setConsent({ deps }, { advisor }, people.accepted, 'accepted');
  await setConsent({ deps }, { advisor }, people.stopped, 'opted_out');
  await setConsent({ deps }, { advisor }, people.changed, 'accepted');
  await setConsent({ deps }, { advisor }, people.changed, 'opted_out');
  await sendText(deps, advisorId);
  return advisorId;
}

async function sendText(deps: Deps, advisorId: number): Promise<void> {
  const [row] = await listRecipients(deps.db, [{ advisorId, phone: people.accepted }]);
  await acceptTexts(deps, [textTo(knownRecipient(row), { advisorId, kind: 'text', text: 'Hello', by: byOperator })]);
  const { texts } = await claimTexts(deps, sandboxCarrierId, 1);
  const outcomes = texts.map((text) => outcomeOf(text, { accepted: 'carrier-1' }, new Date()));
  const endedClaims = texts.map(({ claim }) => claim.claimId);
  await recordOutcomes(deps.db, outcomes, { now: deps.clock.now(), endedClaims });
  await receiveReceipt(deps, sandboxCarrierId, { carrierMessageId: 'carrier-1', status: 'delivered' });
}
