import type { Deps } from '../../src/deps.ts';
import { addAdvisor } from '../../src/domain/accounts/advisors.ts';
import { setFirm } from '../../src/domain/accounts/firms.ts';
import { archiveSetting } from '../../src/domain/accounts/settings.ts';
import { addStaff } from '../../src/domain/accounts/staff.ts';
import { byOperator } from '../../src/domain/archive/archive.ts';
import { claimTexts } from '../../src/domain/delivery/claims.ts';
import { outcomeOf } from '../../src/domain/delivery/outcomes.ts';
import { receiveReceipt } from '../../src/domain/delivery/receipts.ts';
import { setLexicon } from '../../src/domain/supervision/lexicons.ts';
import { knownRecipient } from '../../src/domain/texting/recipients.ts';
import { acceptTexts, textTo } from '../../src/domain/texting/texts.ts';
import { setWording } from '../../src/domain/texting/wordings.ts';
import { findFirm } from '../../src/store/accounts/firms.ts';
import { sandboxCarrierId } from '../../src/store/carriers/carriers.ts';
import { recordOutcomes } from '../../src/store/delivery/outcomes.ts';
import { listRecipients } from '../../src/store/texting/recipients.ts';
import { setConsent } from '../support/texting.ts';

export const people = { accepted: '+12125550101', stopped: '+12125550102', changed: '+12125550103' };

/**
 * A third advisor, whose tables have something to compare: three people with consent, a text that was delivered at the second attempt, and in the
 * deployment's book a firm, a staff member, a wording and a lexicon. Returns the advisor's id.
 */
export async function makeSmallBook(deps: Deps, firmId: number): Promise<number> {
  const firm = await findFirm(deps.db, firmId);
  await archiveSetting(deps, byOperator, { what: 'firm added', of: { firmId }, values: firm ?? {} });
  await addStaff(deps, { firmId, name: 'Kim Lee', email: 'kim@test.example' });
  await setWording(deps, firmId, { kind: 'help', text: '{firm}: reply STOP to opt out.' });
  await setLexicon(deps, firmId, JSON.stringify({ rules: [{ name: 'Tips', action: 'hold', phrases: ['hot tip'] }] }));
  await setFirm(deps, firmId, { firstTextLine: false });

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
  for (const result of [{ notTaken: 'busy' }, { accepted: 'carrier-1' }]) {
    const { texts } = await claimTexts(deps, sandboxCarrierId, 1);
    const outcomes = texts.map((text) => ({ ...outcomeOf(text, result, new Date()), retryAt: new Date() }));
    const endedClaims = texts.map(({ claim }) => claim.claimId);
    await recordOutcomes(deps.db, outcomes, { now: deps.clock.now(), endedClaims });
  }
  await receiveReceipt(deps, sandboxCarrierId, { carrierMessageId: 'carrier-1', status: 'delivered' });
}
