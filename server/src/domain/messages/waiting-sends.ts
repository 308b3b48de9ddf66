import type { Deps } from '../../deps.ts';
import { lockHeads } from '../../store/archive/archive.ts';
import type { Batch } from '../../store/database/db.ts';
import { listRecipients } from '../../store/texting/recipients.ts';
import { type Asked, ask, collectionProblem } from '../consent/consent-requests.ts';
import type { Verdict } from '../ports.ts';
import type { Problem } from '../problems.ts';
import { type Judged, textRefusal } from '../supervision/supervision.ts';
import { failure } from '../texting/failures.ts';
import { type GateCode, gate, isProven, type RefusalCode } from '../texting/gate.ts';
import { ensureMembers } from '../texting/members.ts';
import { expectRecipients, isKnown, type Recipient } from '../texting/recipients.ts';
import { type Draft, textingProblem } from '../texting/texts.ts';
import { countWaiting, isAsked, waitingMax } from '../texting/waiting-texts.ts';
import {
  carryOut,
  type Decide,
  type Decided,
  type Decision,
  decide,
  decideOne,
  drawIds,
  numbersOf,
  type Result,
  type Send,
  splitBySend,
} from './sends.ts';

/**
 * Sends with `whenConsented`: people who haven't consented are asked, and their texts wait for the answer. Everybody is locked
 * first, so that an answer either comes before, and the text goes out, or after, and finds the text.
 */
export const sendingWhenConsented: Batch<Send, Result> = {
  advisorOf: ({ advisorId }) => advisorId,
  weigh: ({ phones }) => phones.length,
  async run(db, sends) {
    const [first] = sends;
    if (!first) return [];
    const deps = { ...first.deps, db };
    const expected: Recipient[][] = [];
    for (const send of sends) expected.push((await expectRecipients(deps, numbersOf([send]))).map(({ to }) => to));
    const judges = await deps.judges.of(
      deps.db,
      expected.flatMap(([to]) => to?.firmId ?? []),
    );
    const problems = sends.map((send, index) => {
      const [to, ...others] = expected[index] ?? [];
      return to ? problemOf(deps, send, [to, ...others], judges.get(to.firmId)?.(send.text) ?? null) : null;
    });
    const able = sends.filter((_, index) => !problems[index]);
    await ensureMembers(deps, numbersOf(able));
    const recipients = splitBySend(sends, await listRecipients(deps.db, numbersOf(sends)));
    const decideEach = await decideWaiting(deps, recipients.flat().filter(isKnown));
    const decided = sends.map((send, index) => {
      const refused = problems[index];
      return refused ? { refused } : decide(deps, send, recipients[index] ?? [], judges, decideEach);
    });
    await askAll(deps, sends, decided);
    return carryOut(deps, decided, await drawIds(deps, sends));
  },
};

/**
 * Why the account can't do it, whoever the recipients are. That somebody would have to be asked is known before anything is
 * done: what would become of each recipient if the account were set up to ask?
 */
export function problemOf(deps: Deps, send: Asking, expected: Recipient[], verdict: Verdict | null): Problem | null {
  const cannotText = textingProblem(expected);
  const cannotAsk = send.whenConsented ? collectionProblem(expected) : null;
  if (cannotText || !cannotAsk) return cannotText;
  const isAsked = (to: Recipient) => {
    const decision = decideOrWait(
      deps,
      send,
      { ...to, consentCollection: true },
      { verdict, texts: 0, isAsked: false },
    );
    return 'draft' in decision && decision.asks !== undefined;
  };
  return expected.some(isAsked) ? cannotAsk : null;
}

/** Several statements add to the archives, maybe of different advisors: locking all of them first avoids deadlocks. */
async function askAll(deps: Deps, sends: Send[], decided: Decided[]): Promise<void> {
  const asked = decided.map((decisions) => ('refused' in decisions ? [] : decisions.flatMap(askedIn)));
  if (asked.every(({ length }) => length === 0)) return;
  await lockHeads(
    deps.db,
    sends.map(({ advisorId }) => advisorId),
  );
  for (const [index, { advisorId, by }] of sends.entries())
    await ask(deps, { advisorId, by, now: deps.clock.now() }, asked[index] ?? []);
}

function askedIn(decision: Decision): Asked[] {
  return 'draft' in decision && decision.asks ? [{ to: decision.draft.to, hours: decision.asks }] : [];
}

/**
 * Decides as for any send, except that a text to somebody who only lacks consent waits. A decision counts for the ones after
 * it: nobody is asked twice, and not too many texts wait.
 */
export async function decideWaiting(deps: Deps, people: Recipient[]): Promise<Decide> {
  const keyOf = ({ advisorId, phone }: Recipient) => `${advisorId} ${phone}`;
  const counts = await countWaiting(deps, people);
  const waiting = new Map(people.map((to) => [keyOf(to), counts.get(to.memberId) ?? 0]));
  const asked = new Set<string>();
  return (deps, send, to, verdict) => {
    const key = keyOf(to);
    const texts = waiting.get(key) ?? 0;
    const decision = decideOrWait(deps, send, to, { verdict, texts, isAsked: asked.has(key) });
    if (!('draft' in decision)) return decision;
    if (decision.draft.text.awaitsConsent) waiting.set(key, texts + 1);
    if (decision.asks) asked.add(key);
    return decision;
  };
}

type Asking = Parameters<Decide>[1];
type Waits = { verdict: Verdict | null; texts: number; isAsked: boolean };

function decideOrWait(deps: Deps, send: Asking, to: Recipient, waits: Waits): Decision {
  const decision = decideOne(deps, send, to, waits.verdict);
  return 'failure' in decision && mayWait(to, decision.failure.code) ? waitFor(deps, send, to, waits) : decision;
}

/** Only consent is missing. Where the table and the archive disagree about it, nobody is texted at all. */
function mayWait(to: Recipient, code: RefusalCode): boolean {
  return isProven(to) && (code === 'not_consented' || code === 'consent_pending');
}

/** Like a scheduled text it can only be blocked here: the lexicon on the day it goes decides whether to hold or flag it. */
function waitFor(deps: Deps, send: Asking, to: Recipient, waits: Waits): Decision {
  const { advisorId, by, text } = send;
  const { phone, memberId } = to;
  const now = deps.clock.now();
  const draft: Draft = { to, text: { advisorId, kind: 'text', text, by, awaitsConsent: true } };
  const refuse = (code: GateCode, blocked?: Judged): Decision => ({
    failure: failure(phone, memberId, code, to),
    blocked,
  });
  const { verdict } = waits;
  const refused = textRefusal(verdict);
  if (refused && verdict) return refuse(refused, { to, text: { ...draft.text, verdict } });
  if (waits.texts >= waitingMax) return refuse('too_many_waiting');
  if (waits.isAsked || isAsked(to, now)) return { draft };
  const decision = gate(deps, to, 'consent_request', now);
  if ('refused' in decision) return refuse(decision.refused);
  return to.consentCollection ? { draft, asks: decision.allowed } : refuse('not_consented');
}
