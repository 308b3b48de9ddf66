import type { Deps } from '../../deps.ts';
import type { By } from '../archive/archive.ts';
import type { ScreeningFinding } from '../ports.ts';
import { inTurns } from '../shared/turns.ts';
import { textRefusal, waitOf } from '../texting/drafts.ts';
import { accountDisabled, failure } from '../texting/failures.ts';
import { consentRefusal, numberRefusal, optOutRefusal, quietHours, type RefusalCode } from '../texting/gate.ts';
import { type ExpectedRecipient, expectRecipients, type Recipient } from '../texting/recipients.ts';
import { type HeldReason, heldReasonOf, textingProblem, textTo } from '../texting/texts.ts';
import { type MessageInput, type ReadMessage, readMessage } from './message-input.ts';
import { type Decision, decideOne, decideWaiting, problemOf, type Success, statusAfter } from './sends.ts';

/** What a send would decide about each recipient, by the same functions, with nothing done. */

export const gateNames = ['consent', 'opt_out', 'number', 'quiet_hours', 'supervision', 'texting_number'] as const;
/** Why the account can't text at all, which is a problem of the whole send. */
export const accountCodes = ['no_texting_number', 'no_carrier'] as const;

export type GateResult = {
  gate: (typeof gateNames)[number];
  passed: boolean;
  /** Of a gate that only holds the text, why it is held. */
  code: RefusalCode | HeldReason | (typeof accountCodes)[number] | null;
  /** What is wrong and what to do; null if nothing is. */
  message: string | null;
};

export type MessageCheck = {
  phone: string;
  /** Null for a number that isn't known yet. */
  memberId: number | null;
  /** Whether a send now would be a success … */
  deliverable: boolean;
  /** … with this status. */
  status: Success['status'] | null;
  gates: GateResult[];
  /** When the text would go out; null if that takes more than time. */
  earliest: Date | null;
};

type CheckContext = Omit<ReadMessage, 'phones'> & {
  advisorId: number;
  by: By;
  at: Date;
  finding: ScreeningFinding | null;
  isToOne?: boolean;
};
/** A recipient, and what a send would decide about it if it weren't a problem as a whole. */
type RecipientDecision = ExpectedRecipient & { decision: Decision; isProblem: boolean };
type PersonalText = { phone: string; text: string };

const readAtOnce = 100;

export async function checkMessage(
  deps: Deps,
  advisorId: number,
  input: MessageInput,
  by: By,
): Promise<MessageCheck[]> {
  const { phones, text, ...wanted } = readMessage(deps.clock.now(), input);
  const texts = phones.map((phone) => ({ phone, text }));
  return checkAll(deps, texts, { ...wanted, advisorId, by, isToOne: phones.length === 1 });
}

/** The same for the texts to a group, which differ from person to person, and would be sent now. */
export function checkTexts(deps: Deps, advisorId: number, texts: PersonalText[], by: By): Promise<MessageCheck[]> {
  return checkAll(deps, texts, { schedule: null, whenConsented: false, advisorId, by });
}

async function checkAll(
  deps: Deps,
  texts: PersonalText[],
  wanted: Omit<CheckContext, 'text' | 'at' | 'finding'>,
): Promise<MessageCheck[]> {
  const { advisorId, schedule, whenConsented } = wanted;
  const recipients: ExpectedRecipient[] = [];
  const numbers = texts.map(({ phone }) => ({ advisorId, phone }));
  for await (const some of inTurns(deps.turn, numbers, readAtOnce))
    recipients.push(...(await expectRecipients(deps, some)));
  if (recipients.some(({ to }) => to.disabled)) throw accountDisabled();
  const firmIds = recipients.slice(0, 1).map(({ to }) => to.firmId);
  const [screener] = (await deps.screeners.of(deps.db, firmIds)).values();
  const findings = new Map<string, ScreeningFinding | null>();
  for (const { text } of texts) {
    if (findings.has(text)) continue;
    await deps.turn();
    findings.set(text, screener?.(text) ?? null);
  }
  const at = schedule?.firstDate ?? deps.clock.now();
  const asked = texts.map(({ text }) => ({ ...wanted, text, at, finding: findings.get(text) ?? null }));
  const people = recipients.map(({ to }) => to);
  const decideEach = whenConsented ? await decideWaiting(deps, people) : decideOne;
  const [first] = asked;
  const isProblem = first !== undefined && problemOf(deps, first, people, first.finding) !== null;
  const checks: MessageCheck[] = [];
  for (const recipient of recipients) {
    await deps.turn();
    const each = asked[checks.length] as CheckContext;
    const decision = decideEach(deps, each, recipient.to, each.finding);
    checks.push(checkOne(deps, each, { ...recipient, decision, isProblem }));
  }
  return checks;
}

function checkOne(deps: Deps, asked: CheckContext, decided: RecipientDecision): MessageCheck {
  const { to, memberId } = decided;
  const { phone } = to;
  const gates = gatesOf(deps, asked, decided);
  const outcome = outcomeOf(asked, decided);
  if (outcome) return { phone, memberId, deliverable: true, gates, ...outcome };
  return { phone, memberId, deliverable: false, status: null, gates, earliest: opensAt(deps, asked, to, gates) };
}

/** What a send would answer, and when the text would go out; null if it would be a failure. */
function outcomeOf(
  asked: CheckContext,
  { to, decision, isProblem }: RecipientDecision,
): Pick<MessageCheck, 'status' | 'earliest'> | null {
  if (isProblem || 'failure' in decision) return null;
  if ('scheduled' in decision) return { status: 'scheduled', earliest: asked.at };
  const wait = waitOf(textTo(to, decision.draft.text));
  // A reviewer decides when a held text goes out, and the person when one that awaits their consent does.
  const isUpToSomebody = wait.held || wait.awaitsConsent;
  return { status: statusAfter(wait).status, earliest: isUpToSomebody ? null : (wait.deferredUntil ?? asked.at) };
}

/** When it could be sent, if only quiet hours are in the way. A date that was asked for doesn't move. */
function opensAt(
  deps: Deps,
  { schedule, at, isToOne = false }: CheckContext,
  to: Recipient,
  gates: GateResult[],
): Date | null {
  const hours = quietHours(deps, to, 'text', at, { isAnswer: isToOne && !schedule });
  const isAllowedOtherwise =
    !consentRefusal(to, 'text') && gates.every(({ gate, passed }) => passed || gate === 'quiet_hours');
  return isAllowedOtherwise && !schedule && 'refused' in hours ? hours.opensAt : null;
}

/** Each question by itself, whatever the others answer. */
function gatesOf(deps: Deps, asked: CheckContext, { to, decision }: RecipientDecision): GateResult[] {
  const { schedule, at, finding, whenConsented, isToOne = false } = asked;
  // A text that waits goes out at another time.
  const hours = isWait(decision) ? null : quietHours(deps, to, 'text', at, { isAnswer: isToOne && !schedule });
  const refusals: Record<Exclude<GateResult['gate'], 'texting_number'>, RefusalCode | null> = {
    consent: whenConsented ? waitRefusal(decision) : consentRefusal(to, 'text'),
    opt_out: optOutRefusal(to, 'text'),
    number: numberRefusal(deps, to),
    quiet_hours: hours && 'refused' in hours ? hours.refused : null,
    supervision: textRefusal(finding),
  };
  const messageOf = (code: RefusalCode) =>
    failure(to.phone, to.memberId, code, { ...to, isScheduled: !!schedule }).message;
  const holds = holdsOf(asked, { to, decision });
  return gateNames.map((gate) => {
    if (gate === 'texting_number') return accountGate(to);
    const [code, hold] = [refusals[gate], holds[gate]];
    if (!code && hold) return { gate, passed: false, code: hold, message: holdSentences[hold](to) };
    if (!code) return { gate, passed: true, code: null, message: null };
    // A person who opted out must not be asked for consent again, as the sentence for a lack of it says.
    const reason = gate === 'consent' ? (refusals.opt_out ?? code) : code;
    return { gate, passed: false, code, message: messageOf(reason) };
  });
}

/** The gates that only hold a text, each by itself. One that is scheduled, or waits for consent, is held once it goes out. */
function holdsOf(
  { schedule, finding }: CheckContext,
  { to, decision }: Pick<RecipientDecision, 'to' | 'decision'>,
): Partial<Record<GateResult['gate'], HeldReason | null>> {
  if (schedule || isWait(decision)) return {};
  return {
    opt_out: heldReasonOf(to, { kind: 'text' }),
    supervision: heldReasonOf({ heldSince: null }, { kind: 'text', finding }),
  };
}

const holdSentences: Record<HeldReason, (to: Recipient) => string> = {
  possible_opt_out: ({ phone, textingNumber }) =>
    `${phone} has written something that may mean stop. Texts to them are held until a reviewer decides, or they text START${textingNumber ? ` to ${textingNumber}` : ''}.`,
  supervision: ({ phone }) =>
    `The firm’s supervision rules hold the text to ${phone} until a reviewer approves it. Reword it to avoid the review.`,
};

function isWait(decision: Decision): boolean {
  return 'draft' in decision && decision.draft.text.awaitsConsent === true;
}

/** With `whenConsented` a lack of consent is no refusal, unless the text can't wait for it. */
function waitRefusal(decision: Decision): RefusalCode | null {
  const code = 'failure' in decision ? decision.failure.code : null;
  return code === 'not_consented' || code === 'too_many_waiting' ? code : null;
}

function accountGate(to: Recipient): GateResult {
  const cannotText = textingProblem([to]);
  if (!cannotText) return { gate: 'texting_number', passed: true, code: null, message: null };
  const code = to.textingNumber ? 'no_carrier' : 'no_texting_number';
  return { gate: 'texting_number', passed: false, code, message: cannotText.detail };
}
