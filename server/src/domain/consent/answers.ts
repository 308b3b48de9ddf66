import type { Deps } from '../../deps.ts';
import type { AdvisorRow } from '../../store/accounts/advisors.ts';
import type { MemberRow } from '../../store/members/members.ts';
import { getFirm } from '../accounts/firms.ts';
import { byService } from '../archive/archive.ts';
import type { TextKind } from '../ports.ts';
import { mayText } from '../texting/gate.ts';
import { acceptTexts, textTo } from '../texting/texts.ts';
import { renderWording, wordingOf } from '../texting/wordings.ts';

/** The confirmation of an opt-out goes out within this time after the person's text arrived, or never. */
export const confirmationMs = 5 * 60 * 1000;

/**
 * Answers a text that arrived at that time in the firm's own words, inside a transaction. The stamp of a text doesn't count here, since
 * carriers' clocks may be wrong.
 */
export async function sendAnswer(
  deps: Deps,
  advisor: AdvisorRow,
  member: MemberRow,
  { kind, arrivedAt }: { kind: Exclude<TextKind, 'text' | 'consent_request'>; arrivedAt: Date },
): Promise<void> {
  const expiresAt = kind === 'opt_out' ? new Date(arrivedAt.getTime() + confirmationMs) : undefined;
  const { advisorId, firmId, name, textingNumber, textingPace, carrierId } = advisor;
  // They may have answered a number that the advisor had before.
  if (textingNumber === null || carrierId === null) return;
  if (!mayText(advisor, kind) || (expiresAt && expiresAt < deps.clock.now())) return;
  const { name: firm } = await getFirm(deps, firmId);
  const text = renderWording((await wordingOf(deps, firmId, kind)).text, { firm, advisor: name });
  const addressee = { ...member, textingNumber, textingPace, carrierId };
  await acceptTexts(deps, [textTo(addressee, { advisorId, kind, text, by: byService, expiresAt })]);
}
