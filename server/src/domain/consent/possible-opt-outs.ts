import type { Deps } from '../../deps.ts';
import { updateHeldSince } from '../../store/consent/consents.ts';
import type { MemberRow } from '../../store/members/members.ts';
import { type HeldText, listHeldTexts } from '../../store/texting/held-texts.ts';
import { listRecipients } from '../../store/texting/recipients.ts';
import { laterOf } from '../shared/time.ts';
import { failTexts, releaseTexts } from '../texting/held-texts.ts';
import { knownRecipient, type Recipient } from '../texting/recipients.ts';

/**
 * A reply that may mean stop and may not changes no state. Every text to the person is held instead, until a reviewer decides
 * or the person texts START or STOP. All of this happens inside a transaction, with the member locked.
 */

/**
 * Holds every text to the person. False if they are opted out, and a reviewer has nothing to decide. Each such reply has a review:
 * what was decided about one says nothing of the next.
 */
export async function holdTexts(deps: Deps, advisorId: number, member: MemberRow, sentAt: Date): Promise<boolean> {
  const { memberId, state, heldSince } = member;
  if (state === 'opted_out') return false;
  await updateHeldSince(deps.db, advisorId, memberId, laterOf(heldSince, sentAt));
  return true;
}

/** The texts that wait, and their recipient as of now. */
export async function findHeld(
  deps: Deps,
  advisorId: number,
  { memberId, phone }: Pick<MemberRow, 'memberId' | 'phone'>,
): Promise<{ to: Recipient; texts: HeldText[] }> {
  const [row] = await listRecipients(deps.db, [{ advisorId, phone }]);
  return { to: knownRecipient(row), texts: await listHeldTexts(deps.db, advisorId, memberId) };
}

/** It was not a stop: the person's texts go out, in order, through the same gate as any other. */
export async function endHold(deps: Deps, advisorId: number, member: MemberRow): Promise<void> {
  await updateHeldSince(deps.db, advisorId, member.memberId, null);
  const { to, texts } = await findHeld(deps, advisorId, member);
  await releaseTexts(deps, advisorId, to, texts);
}

/** The person is opted out, for whatever reason: the texts that waited fail. */
export async function failHeldTexts(deps: Deps, advisorId: number, { memberId, heldSince }: MemberRow): Promise<void> {
  if (!heldSince) return;
  await updateHeldSince(deps.db, advisorId, memberId, null);
  const texts = await listHeldTexts(deps.db, advisorId, memberId);
  const ids = texts.map(({ messageId }) => messageId);
  await failTexts(deps, advisorId, ids, 'opted_out');
}
