import type { Deps } from '../../deps.ts';
import type { By } from '../archive/archive.ts';
import { checkTexts, type GateResult, type MessageCheck } from '../messages/message-checks.ts';
import { heldReasons } from '../messages/messages.ts';
import { segmentsOf } from '../texting/segments.ts';
import { type OwnCode, type PersonalText, textsFor } from './people.ts';

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

export type GroupCheck = Awaited<ReturnType<typeof checkBroadcast>>;

const pageSize = 50;
const refusedMax = 200;
/** Between two of these, others get their turn. The lexicon reads each person's own text, which takes up to a millisecond. */
const checksAtOnce = 50;

type PreviewInput = { groupId: number; text: string };

export async function previewBroadcast(
  deps: Deps,
  advisorId: number,
  { groupId, text, from = 0 }: PreviewInput & { from?: number | undefined },
  by: By,
): Promise<{ data: PersonalPreview[]; next: number | null }> {
  const { texts } = await textsFor(deps, advisorId, groupId, text);
  const until = from + pageSize;
  const data = await previewEach(deps, advisorId, texts.slice(from, until), by);
  return { data, next: until < texts.length ? until : null };
}

export async function checkBroadcast(deps: Deps, advisorId: number, { groupId, text }: PreviewInput, by: By) {
  const { texts, version } = await textsFor(deps, advisorId, groupId, text);
  const all: PersonalPreview[] = [];
  for (let from = 0; from < texts.length; from += checksAtOnce)
    all.push(...(await previewEach(deps, advisorId, texts.slice(from, from + checksAtOnce), by)));
  const refused = all.filter(({ status }) => status === null);
  const times = all.flatMap(({ status, earliest }) => (status === 'deferred' && earliest ? earliest.getTime() : []));
  const count = (wanted: MessageCheck['status']) => all.filter(({ status }) => status === wanted).length;
  return {
    people: texts.length,
    /** How many would get it at once, once it is day where they are, and once a reviewer agrees. */
    now: count('queued'),
    later: count('deferred'),
    held: count('held'),
    /** When the first of those who get it later do. */
    earliest: times.length > 0 ? new Date(Math.min(...times)) : null,
    refusals: [...Map.groupBy(refused, ({ code }) => code)].flatMap(([code, those]) =>
      code ? { code, people: those.length } : [],
    ),
    /** The first of those who would get none. */
    refused: refused.slice(0, refusedMax),
    /** Of the longest text. */
    segments: Math.max(0, ...all.map(({ segments }) => segments)),
    /** What starting it must repeat, so that nothing is sent that wasn't shown. */
    version,
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
