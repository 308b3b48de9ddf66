import { type Deps, inTransaction } from '../../deps.ts';
import type { ConsentState } from '../../store/consent/consents.ts';
import type { MemberRow } from '../../store/members/members.ts';
import { listRecipients } from '../../store/texting/recipients.ts';
import type { By } from '../archive/archive.ts';
import type { ConsentAct } from '../archive/consent-entries.ts';
import { type BrokenRule, type Problem, problem } from '../problems.ts';
import { requireRightTime } from '../shared/database-clock.ts';
import { type Failure, failure } from '../texting/failures.ts';
import { gate, type Hours } from '../texting/gate.ts';
import { wantLookups } from '../texting/number-lookups.ts';
import { ensureMembers, knownRecipient, type Recipient } from '../texting/recipients.ts';
import { acceptTexts, textingProblem, textTo } from '../texting/texts.ts';
import { renderWording, type Wording, wordingOf } from '../texting/wordings.ts';
import { markRequested } from './consents.ts';

export type ConsentRequestResult = {
  successes: { phone: string; memberId: number; consentState: ConsentState }[];
  failures: Failure[];
};

/** Asks by text, with an outcome for each number. An accepted number fails the whole request before any side effect. */
export async function requestConsent(
  deps: Deps,
  advisorId: number,
  given: string[],
  by: By,
): Promise<ConsentRequestResult> {
  const phones = [...new Set(given)];
  const numbers = phones.map((phone) => ({ advisorId, phone }));
  return inTransaction(deps, async (deps) => {
    const before = await listRecipients(deps.db, numbers);
    refuseAccepted(given, phones, before);
    const cannotAsk = textingProblem(before) ?? collectionProblem(before);
    if (cannotAsk) throw cannotAsk;
    const members = await ensureMembers(deps, numbers);
    // Check again now that the members are locked: somebody may have accepted in the meantime.
    refuseAccepted(given, phones, inOrder(phones, members));
    const recipients = (await listRecipients(deps.db, numbers)).map(knownRecipient);
    return askAll(deps, { advisorId, by, now: deps.clock.now() }, recipients);
  });
}

async function askAll(deps: Deps, act: ConsentAct, recipients: Recipient[]): Promise<ConsentRequestResult> {
  requireRightTime(deps);
  const result: ConsentRequestResult = { successes: [], failures: [] };
  const asked: ConsentRecipient[] = [];
  for (const to of recipients) {
    const { phone, memberId } = to;
    const decision = gate(deps, to, 'consent_request', act.now);
    if ('refused' in decision) result.failures.push(failure(phone, memberId, decision.refused, to));
    else {
      asked.push({ to, hours: decision.allowed });
      result.successes.push({ phone, memberId, consentState: 'pending' });
    }
  }
  await ask(deps, act, asked);
  return result;
}

/** Somebody whom the gate lets us ask, and when. */
export type ConsentRecipient = { to: Recipient; hours: Hours };

/** Of a job that asks many: the wording that it showed, and what it records. */
type AskingJob = { broadcastId: number; wording: Wording; messageIds: number[] };

/** Sends an advisor's consent requests, inside a transaction, with the members locked. */
export async function ask(deps: Deps, act: ConsentAct, asked: ConsentRecipient[], job?: AskingJob): Promise<void> {
  const { advisorId, by } = act;
  const [first] = asked;
  if (!first) return;
  const wording = job?.wording ?? (await consentWording(deps, first.to));
  const request = { advisorId, kind: 'consent_request', text: wording.text, by } as const;
  const of = job ? { broadcastId: job.broadcastId } : {};
  const texts = asked.map(({ to, hours }) => textTo(to, { ...request, hours, ...of }));
  await acceptTexts(deps, texts, job?.messageIds);
  const members = asked.map(({ to }) => to);
  await wantLookups(deps, members);
  await markRequested(deps, act, members, wording);
}

/** Every recipient has the same advisor and firm, so they all get the same text. */
async function consentWording(deps: Deps, { firmId, firmName, advisorName }: Recipient): Promise<Wording> {
  const { version, text } = await wordingOf(deps, firmId, 'consent_request');
  return { version, text: renderWording(text, { firm: firmName, advisor: advisorName }) };
}

/** Throws with an item of `details` for each accepted number, at the position where it is first given. */
function refuseAccepted(
  given: string[],
  phones: string[],
  states: ({ state: ConsentState | null } | undefined)[],
): void {
  const broken = phones.flatMap<BrokenRule>((phone, index) => {
    if (states[index]?.state !== 'accepted') return [];
    const path = `/phoneNumbers/${given.indexOf(phone)}`;
    return [{ path, rule: 'notAccepted', message: `${phone} has already accepted: leave it out.` }];
  });
  const [first] = broken;
  if (!first) return;
  const more = broken.length > 1 ? ` (and ${broken.length - 1} more in details)` : '';
  // Lists all of them, however many, so that the caller can remove them and send the rest.
  throw problem('invalid_request', `${first.message}${more}`, { details: broken });
}

function inOrder(phones: string[], members: MemberRow[]): (MemberRow | undefined)[] {
  const memberOf = new Map(members.map((member) => [member.phone, member]));
  return phones.map((phone) => memberOf.get(phone));
}

/** Why the account can't ask for consent; null if it can. */
export function collectionProblem(recipients: Pick<Recipient, 'consentCollection'>[]): Problem | null {
  if (recipients.every(({ consentCollection }) => consentCollection)) return null;
  return problem('conflict', 'The advisor’s account is not configured for consent collection. Contact the operator.');
}
