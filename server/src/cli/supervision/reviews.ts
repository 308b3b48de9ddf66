import { getStaff } from '../../domain/accounts/staff.ts';
import { decideReview } from '../../domain/consent/reviews.ts';
import type { ReplyMedia } from '../../domain/supervision/media.ts';
import { setSamplePercent } from '../../domain/supervision/review-samples.ts';
import {
  listReviews,
  type ReviewDecision,
  type ReviewDetail,
  type ReviewEvent,
  readReview,
  reviewKinds,
  reviewStatuses,
  reviewsListedMax,
} from '../../domain/supervision/reviews.ts';
import { inOneLine } from '../terminal.ts';
import { type Call, firmIn, UsageError, type Verb, wholeNumber } from '../verb.ts';

const byOption = { value: 'EMAIL|ID', about: 'Staff member making the decision.', required: true } as const;
const noteOption = { value: 'TEXT', about: 'Why, for the archive.' } as const;

export const reviewVerbs: Verb[] = [
  {
    name: 'reviews list',
    about: 'List the firm’s open reviews, oldest first.',
    options: {
      firm: { value: 'FIRM', about: 'One firm; all by default.' },
      status: { oneOf: reviewStatuses, about: 'Open by default.' },
      kind: { value: 'KIND', oneOf: reviewKinds, about: `One of ${reviewKinds.join(', ')}; all by default.` },
    },
    run: list,
  },
  {
    name: 'reviews show',
    about:
      'Show a review: the text, its attachments, what was found in it, and every decision and note. That you read it is archived.',
    operands: ['ID'],
    run: show,
  },
  {
    name: 'reviews approve',
    about:
      'Approve: a held text is sent if it passes the same checks as any other. For a possible opt-out: it wasn’t one, so the person’s held texts are sent. Other reviews are closed.',
    operands: ['ID'],
    options: { by: byOption, note: noteOption },
    examples: ["reviews approve 12 --by dana@example.com --note 'A quote, not a promise'"],
    run: (call) => decide(call, 'approved'),
  },
  {
    name: 'reviews reject',
    about:
      'Reject: a held text fails. For a possible opt-out: it was one, so the person is opted out. Other reviews are closed; an opt-out stays in effect, since only the person can undo it.',
    operands: ['ID'],
    options: { by: byOption, note: noteOption },
    run: (call) => decide(call, 'rejected'),
  },
  {
    name: 'reviews sample',
    about:
      'Set the percentage of a day’s texts that a firm reviews at random: at least one if there are any; 0 turns it off.',
    operands: ['FIRM', 'PERCENT'],
    examples: ['reviews sample 1 2.5'],
    run: async ({ runtime, operands, out }) => {
      const [firmId, percent] = [firmIn(operands), percentOf(operands.PERCENT ?? '')];
      await setSamplePercent(runtime, firmId, percent);
      out.records([{ firmId, reviewSamplePercent: percent }]);
    },
  },
];

async function list({ runtime, options, json, out }: Call): Promise<void> {
  const firmId = options.firm === undefined ? null : wholeNumber('--firm', options.firm);
  const status = (options.status ?? 'open') as (typeof reviewStatuses)[number];
  const kind = (options.kind ?? null) as (typeof reviewKinds)[number] | null;
  const reviews = await listReviews(runtime, { firmId, status, kind });
  if (reviews.length === reviewsListedMax) out.note(`These are the oldest ${reviewsListedMax}; there may be more.`);
  if (json) return out.records(reviews);
  out.records(
    reviews.map(({ reviewId, dateTimeCreated, kind, advisorName, phone, rules, decidedBy }) => {
      const about = {
        reviewId,
        dateTimeCreated,
        kind,
        advisor: inOneLine(advisorName),
        phone: inOneLine(phone),
        rules: rules.join(', '),
      };
      return status === 'open' ? about : { ...about, decidedBy };
    }),
  );
}

async function show({ runtime, operands, json, out }: Call): Promise<void> {
  const review = await readReview(runtime, idOf(operands));
  if (json) out.records([review]);
  else out.line(describe(review));
}

async function decide({ runtime, operands, options, out }: Call, decision: ReviewDecision['decision']): Promise<void> {
  const staff = await getStaff(runtime, options.by ?? '');
  const decided = await decideReview(runtime, idOf(operands), { decision, staff, note: options.note });
  const { reviewId, status, decidedBy, outcome } = decided;
  out.records([{ reviewId, status, decidedBy, outcome }]);
}

/** A heading, the text, then one line per decision or note. */
function describe(review: ReviewDetail): string {
  const {
    reviewId,
    kind,
    status,
    advisorName,
    phone,
    rules,
    lexiconVersion,
    messageId,
    archiveNumber,
    text,
    incomplete,
  } = review;
  const found = rules.length > 0 ? `: ${rules.join(', ')} (lexicon version ${lexiconVersion})` : '';
  const message = messageId === null ? '' : `, message ${messageId}`;
  return [
    `Review ${reviewId}, ${kind}, ${status}${found}`,
    `  ${review.dateTimeCreated.toISOString()}  ${inOneLine(advisorName)}, ${inOneLine(phone)}${message}, archive entry ${archiveNumber}`,
    `  ${text === null ? '(no longer kept)' : inOneLine(text)}`,
    ...(incomplete ? [`  (${incomplete.of - incomplete.received} of its ${incomplete.of} parts never came)`] : []),
    ...review.media.map(mediaLine),
    ...review.events.map(eventLine),
  ].join('\n');
}

/** `picture (image/jpeg, 120 kB), archive entry 14` */
function mediaLine({ contentType, size, state, why, archiveNumber }: ReplyMedia): string {
  const what = nouns[contentType.split('/')[0] ?? ''] ?? 'file';
  const about = size === null ? contentType : `${contentType}, ${sizeOf(size)}`;
  const states = {
    waiting: 'not fetched yet',
    kept: `archive entry ${archiveNumber}`,
    not_fetched: `could not be fetched: ${inOneLine(why ?? '')}`,
    disposed: 'no longer kept',
  };
  return `  ${what} (${about}), ${states[state]}`;
}

const nouns: Record<string, string> = { image: 'picture', video: 'video', audio: 'sound', text: 'text file' };

function sizeOf(bytes: number): string {
  return bytes < 1_000 ? `${bytes} bytes` : `${Math.round(bytes / 1_000)} kB`;
}

function eventLine({ dateTime, actor, isByCommand, decision, outcome, note }: ReviewEvent): string {
  const what = [
    decision ?? 'noted',
    ...(outcome ? [`(${outcome})`] : []),
    `by ${actor}${isByCommand ? ', by command' : ''}`,
  ].join(' ');
  return `  ${dateTime.toISOString()}  ${what}${note ? `: ${inOneLine(note)}` : ''}`;
}

function idOf(operands: Call['operands']): number {
  return wholeNumber('ID', operands.ID ?? '');
}

function percentOf(text: string): number {
  if (!/^\d{1,3}(\.\d{1,4})?$/.test(text)) throw new UsageError(`PERCENT must be a number such as 2.5, not "${text}".`);
  return Number(text);
}
