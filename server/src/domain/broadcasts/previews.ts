import type { Deps } from '../../deps.ts';
import type { By } from '../archive/archive.ts';
import { checkTexts, type GateResult, type MessageCheck } from '../messages/message-checks.ts';
import { heldReasons } from '../messages/messages.ts';
import { counter } from '../shared/counter.ts';
import { segmentsOf } from '../texting/segments.ts';
import { type OwnCode, type PersonalText, textsFor, textsVersion } from './people.ts';

/** What a text to a group would do, person by person, with nothing done. The verdict on each is that of `messages/check`. */

type PreviewCode = OwnCode | NonNullable<GateResult['code']>;

export type PersonalPreview = PersonalText & {
  segments: number;
  /** What a send would answer; null if it would be refused. */
  status: MessageCheck['status'];
  /** Why it would be refused or held. */
  code: PreviewCode | null;
  /** When it would go out; null if that takes more than time. */
  earliest: Date | null;
};

const pageSize = 50;
const refusedMax = 200;

type PreviewInput = { groupId: number; text: string };

export async function previewBroadcast(
  deps: Deps,
  advisorId: number,
  { groupId, text, from = 0 }: PreviewInput & { from?: number | undefined },
  by: By,
): Promise<{ data: PersonalPreview[]; next: number | null }> {
  const { pages } = await textsFor(deps, advisorId, groupId, text);
  const until = from + pageSize;
  const shown: PersonalText[] = [];
  let next: number | null = null;
  for await (const texts of pages(deps)) {
    shown.push(...texts.filter(({ place }) => place > from && place <= until));
    if ((texts.at(-1)?.place ?? 0) <= until) continue;
    next = until;
    break;
  }
  return { data: await previewEach(deps, advisorId, shown, by), next };
}

/** Reads everybody's text, and keeps those that it shows. */
export async function checkBroadcast(deps: Deps, advisorId: number, { groupId, text }: PreviewInput, by: By) {
  const { pages } = await textsFor(deps, advisorId, groupId, text);
  const version = textsVersion();
  const people = counter<MessageCheck['status']>();
  const codes = counter<PreviewCode>();
  const refused: PersonalPreview[] = [];
  let [segments, earliestMs] = [0, Number.POSITIVE_INFINITY];
  for await (const texts of pages(deps)) {
    version.add(texts);
    for (const each of await previewEach(deps, advisorId, texts, by)) {
      people.change(each.status, 1);
      segments = Math.max(segments, each.segments);
      if (each.status === 'deferred' && each.earliest) earliestMs = Math.min(earliestMs, each.earliest.getTime());
      if (each.status !== null) continue;
      if (each.code) codes.change(each.code, 1);
      if (refused.length < refusedMax) refused.push(each);
    }
  }
  return {
    people: people.all(),
    /** How many would get it at once, once it is day where they are, and once a reviewer agrees. */
    now: people.of('queued'),
    later: people.of('deferred'),
    held: people.of('held'),
    /** When the first of those who get it later do. */
    earliest: earliestMs < Number.POSITIVE_INFINITY ? new Date(earliestMs) : null,
    refusals: codes.entries().map(([code, people]) => ({ code, people })),
    /** The first of those who would get none. */
    refused,
    /** Of the longest text. */
    segments,
    /** What starting it must repeat, so that nothing is sent that wasn't shown. */
    version: version.value(),
  };
}

async function previewEach(deps: Deps, advisorId: number, texts: PersonalText[], by: By): Promise<PersonalPreview[]> {
  const asked = texts.flatMap(({ phone, text, refused }) => (phone && !refused ? { phone, text } : []));
  const checks = (asked.length > 0 ? await checkTexts(deps, advisorId, asked, by) : []).values();
  return texts.map((each) => {
    const { segments } = segmentsOf(each.text);
    if (each.refused) return { ...each, segments, status: null, code: each.refused, earliest: null };
    const { status, gates, earliest } = checks.next().value as MessageCheck;
    return { ...each, segments, status, code: codeOf(status, gates), earliest };
  });
}

/** The gates in the order in which a send asks them. */
const order: GateResult['gate'][] = ['texting_number', 'opt_out', 'number', 'consent', 'quiet_hours', 'supervision'];

/** Why it would be refused or held. A gate that only holds refuses nothing. */
function codeOf(status: MessageCheck['status'], gates: GateResult[]): PreviewCode | null {
  if (status !== null && status !== 'held') return null;
  const codes = order.map((gate) => gates.find((each) => each.gate === gate)?.code ?? null);
  return codes.find((code) => code !== null && isHold(code) === (status === 'held')) ?? null;
}

function isHold(code: PreviewCode): boolean {
  return (heldReasons as readonly PreviewCode[]).includes(code);
}
