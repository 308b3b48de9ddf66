import type { Deps } from '../../deps.ts';
import type { Recipient } from '../../store/texting/recipients.ts';
import {
  drawMessageIds,
  type HeldReason,
  insertTexts,
  type NewText,
  type TextKind,
  updateFirstTexted,
} from '../../store/texting/texts.ts';
import type { By } from '../archive/archive.ts';
import type { ScreeningFinding } from '../ports.ts';
import { type Problem, problem } from '../problems.ts';
import { noCarrier } from '../shared/traffic-counts.ts';
import { accountDisabled } from './failures.ts';
import { type Hours, heldKinds } from './gate.ts';
import { endOfLife } from './lifetimes.ts';
import { segmentsOf } from './segments.ts';
import { renderWording, wordingOf } from './wordings.ts';

export type { HeldReason } from '../../store/texting/texts.ts';

export type Text = {
  advisorId: number;
  kind: TextKind;
  text: string;
  /** What we appended to the caller's text, so that the archive can tell them apart. */
  added?: string;
  by: By;
  hours?: Hours;
  /** It waits for the person's consent, outside the outbox. */
  awaitsConsent?: true;
  expiresAt?: Date;
  scheduledMessageId?: number;
  /** The text to a group that it is part of. */
  broadcastId?: number;
  finding?: ScreeningFinding | null;
};

/** A text and its recipient. */
export type Draft = { to: Recipient; text: Text };

type Addressee = Pick<
  Recipient,
  'memberId' | 'phone' | 'name' | 'heldSince' | 'textingNumber' | 'textingPace' | 'carrierId'
>;

/** The text as it goes to the archive and to the carrier. */
export function textTo(to: Addressee, given: Text): NewText {
  const { memberId, phone, name, textingNumber, textingPace, carrierId } = to;
  const { advisorId, kind, text, added, by, hours, broadcastId, finding, awaitsConsent } = given;
  const heldReason = awaitsConsent ? null : heldReasonOf(to, given);
  const meta = {
    kind,
    from: textingNumber,
    to: phone,
    ...(added ? { added } : {}),
    ...(finding ? findingMeta(finding) : {}),
    ...(awaitsConsent ? { awaitsConsent } : {}),
    ...(broadcastId ? { broadcastId } : {}),
  };
  return {
    advisorId,
    memberId,
    kind,
    text,
    name,
    meta,
    actor: by.actor,
    traceId: by.traceId,
    ...segmentsOf(text),
    scheduledMessageId: given.scheduledMessageId ?? null,
    pace: textingPace,
    carrierId,
    deferredUntil: hours?.deferredUntil ?? null,
    openUntil: hours?.openUntil ?? null,
    expiresAt: given.expiresAt ?? null,
    ...(heldReason ? { heldReason } : {}),
    ...(awaitsConsent ? { awaitsConsent } : {}),
  };
}

/** The finding as an archive entry keeps it, under its outcome. */
function findingMeta({ action, rules, lexiconVersion }: ScreeningFinding): object {
  return { [action === 'hold' ? 'held' : 'flagged']: { rules, lexiconVersion } };
}

/** If both apply, the lexicon's finding comes first: its review decides, and then the person's reply does. */
export function heldReasonOf(
  { heldSince }: Pick<Addressee, 'heldSince'>,
  { kind, finding }: Pick<Text, 'kind' | 'finding'>,
): HeldReason | null {
  if (finding?.action === 'hold') return 'supervision';
  return heldSince && heldKinds.includes(kind) ? 'possible_opt_out' : null;
}

/**
 * Texts as they will go out. If the firm wants it, the first one to a person names the firm and how to stop. A text that
 * is held or awaits consent may never go out. Until it does, it doesn't count as the first, so the next text has that line too.
 */
export async function compose(deps: Deps, drafts: Draft[]): Promise<NewText[]> {
  const firsts = firstTexts(deps, drafts);
  if (firsts.size === 0) return drafts.map(({ to, text }) => textTo(to, text));
  const members = [...firsts]
    .filter(goesOut)
    .map(({ to, text }) => ({ advisorId: text.advisorId, memberId: to.memberId }));
  await updateFirstTexted(deps.db, members, deps.clock.now());
  const lines = await firstLines(deps, firsts);
  return drafts.map((draft) => textTo(draft.to, firsts.has(draft) ? withLine(draft, lines) : draft.text));
}

function firstTexts(deps: Deps, drafts: Draft[]): Set<Draft> {
  const firsts = new Set<Draft>();
  const members = new Set<string>();
  for (const draft of drafts) {
    const { to, text } = draft;
    const key = `${text.advisorId} ${to.memberId}`;
    const wanted = to.firstTextLine ?? deps.config.environment === 'production';
    if (!wanted || to.firstTextedAt || members.has(key)) continue;
    firsts.add(draft);
    if (goesOut(draft)) members.add(key);
  }
  return firsts;
}

function goesOut({ to, text }: Draft): boolean {
  return !text.awaitsConsent && !heldReasonOf(to, text);
}

/** Each firm's line, read once. */
async function firstLines(deps: Deps, firsts: Set<Draft>): Promise<Map<number, string>> {
  const lines = new Map<number, string>();
  for (const firmId of new Set([...firsts].map(({ to }) => to.firmId)))
    lines.set(firmId, (await wordingOf(deps, firmId, 'first_text')).text);
  return lines;
}

function withLine({ to, text }: Draft, lines: Map<number, string>): Text {
  const line = renderWording(lines.get(to.firmId) ?? '', { firm: to.firmName, advisor: to.advisorName });
  const added = `\n${line}`;
  return { ...text, text: `${text.text}${added}`, added };
}

/** Why the account can't text, however often it is tried; null if it can. */
export function textingProblem(
  recipients: { textingNumber: string | null; carrierId: number | null; disabled: boolean }[],
): Problem | null {
  if (recipients.some(({ disabled }) => disabled)) return accountDisabled();
  if (!recipients.every(({ textingNumber }) => textingNumber))
    return problem('conflict', 'The advisor’s account has no texting number. Contact the operator.');
  if (recipients.every(({ carrierId }) => carrierId !== null)) return null;
  return problem('conflict', 'No carrier is connected for the advisor’s texting number. Contact the operator.');
}

/** Archives texts and puts them in the outbox, inside a transaction. The dispatcher is woken at its commit. */
export async function acceptTexts(deps: Deps, texts: NewText[], given?: number[]): Promise<void> {
  if (texts.length === 0) return;
  const messageIds = given ?? (await drawMessageIds(deps.db, texts.length));
  const now = deps.clock.now();
  const living = texts.map((text) => ({
    ...text,
    expiresAt: text.expiresAt ?? endOfLife(deps, text.deferredUntil ?? now),
  }));
  await insertTexts(deps.db, living, { messageIds, now, realNow: deps.databaseClock.now() });
  deps.db.afterCommit(() => {
    deps.signals.queued.raise();
    for (const { carrierId } of texts) deps.signals.traffic.texts(carrierId ?? noCarrier, 'accepted');
  });
}
