import type { Deps } from '../../deps.ts';
import type { AdvisorRow } from '../../store/accounts/advisors.ts';
import type { MemberRow } from '../../store/texting/members.ts';
import { getFirm } from '../accounts/firms.ts';
import { byService } from '../archive/archive.ts';
import type { TextKind } from '../ports.ts';
import { acceptTexts, textTo } from '../texting/texts.ts';
import { renderWording, wordingOf } from '../texting/wordings.ts';

export type AnswerKind = Exclude<TextKind, 'text' | 'consent_request'>;

/** The confirmation of an opt-out goes out within this time or never. */
const confirmationMs = 5 * 60 * 1000;

/** Answers a person in the firm's own words, inside a transaction. */
export async function sendAnswer(deps: Deps, advisor: AdvisorRow, member: MemberRow, kind: AnswerKind): Promise<void> {
  const { advisorId, firmId, name, textingNumber, textingPace, carrierId } = advisor;
  const { name: firm } = await getFirm(deps, firmId);
  const text = renderWording((await wordingOf(deps, firmId, kind)).text, { firm, advisor: name });
  const expiresAt = kind === 'opt_out' ? new Date(deps.clock.now().getTime() + confirmationMs) : undefined;
  const addressee = { ...member, textingNumber, textingPace, carrierId };
  await acceptTexts(deps, [textTo(addressee, { advisorId, kind, text, by: byService, expiresAt })]);
}
