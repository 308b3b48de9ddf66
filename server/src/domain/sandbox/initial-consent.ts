import { randomUUID } from 'node:crypto';
import { type Deps, inTransaction } from '../../deps.ts';
import { sandboxCarrierId } from '../../store/carriers/carriers.ts';
import { lockMembers, type MemberRow } from '../../store/members/members.ts';
import type { Advisor } from '../accounts/advisors.ts';
import { byOperator } from '../archive/archive.ts';
import { moveConsent } from '../consent/consents.ts';
import { applyText } from '../consent/replies.ts';
import { knowNumbers } from '../members/known-numbers.ts';

/** What brings the texts of the sandbox's phones. */
export const sandboxSource = { carrierId: sandboxCarrierId, answersKeywords: false };

/**
 * Sets the states that the sandbox's numbers start with. A number whose consent has already changed stays as it is. `thenDo` comes
 * after each change, in the same transaction.
 */
export async function setInitialConsent(
  deps: Deps,
  advisorId: number,
  phones: string[],
  to: 'accepted' | 'opted_out',
  thenDo?: (deps: Deps, member: MemberRow) => Promise<void>,
): Promise<void> {
  await inTransaction(deps, async (deps) => {
    const act = { advisorId, by: byOperator, now: deps.clock.now() };
    const numbers = phones.map((phone) => ({ advisorId, phone }));
    await knowNumbers(deps, numbers);
    for (const member of await lockMembers(deps.db, advisorId, phones)) {
      if (member.state !== 'none' || member.consentRequests > 0) continue;
      await moveConsent(deps, act, { member, to, reason: 'sandbox', channel: 'sandbox' });
      await thenDo?.(deps, member);
    }
  });
}

/** The person has written to the advisor, inside a transaction. Unlike any other text, this one makes no contact of them. */
export async function applyFirstText(deps: Deps, advisor: Advisor, member: MemberRow, text: string): Promise<void> {
  const { textingNumber: to } = advisor;
  if (!to) return;
  const reply = { carrierMessageId: randomUUID(), from: member.phone, to, text, sentAt: deps.clock.now() };
  await applyText(deps, advisor, { member, others: [] }, { ...reply, by: sandboxSource });
}
