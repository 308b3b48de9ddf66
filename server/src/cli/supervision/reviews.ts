import { getStaff } from '../../domain/accounts/staff.ts';
import { setSamplePercent } from '../../domain/supervision/review-samples.ts';
import {
  type Decision,
  decideReview,
  getReview,
  listReviews,
  noteReview,
  type ReviewDetail,
  type ReviewEvent,
  reviewKinds,
  reviewStatuses,
  reviewsListedMax,
} from '../../domain/supervision/reviews.ts';
import { inOneLine } from '../terminal.ts';
import { type Call, UsageError, type Verb, wholeNumber } from '../verb.ts';

const byOption = { value: 'EMAIL|ID', about: 'Who of the firm’s staff.', required: true } as const;
const noteOption = { value: 'TEXT', about: 'Why, for the archive.' } as const;

export const reviewVerbs: Verb[] = [
  {
    name: 'reviews list',
    about: 'List what waits for somebody of the firm to look at it, the oldest first.',
    operands: [],
    options: {
      firm: { value: 'FIRM', about: 'One firm; all by default.' },
      status: { value: reviewStatuses.join('|'), about: 'Open by default.' },
      kind: { value: 'KIND', about: `One of ${reviewKinds.join(', ')}; all by default.` },
    },
    run: list,
  },
  {
    name: 'reviews show',
    about: 'Show a review: the text, what was found in it, and all that was decided and noted.',
    operands: ['ID'],
    options: {},
    run: show,
  },
  {
    name: 'reviews approve',
    about: 'Approve: a held text goes out, through the same gates as every other. Other reviews are closed.',
    operands: ['ID'],
    options: { by: byOption, note: noteOption },
    run: (call) => decide(call, 'approved'),
  },
  {
    name: 'reviews reject',
    about:
      'Reject: a held text fails. Other reviews are closed; an opt-out stays one, since only the person can undo it.',
    operands: ['ID'],
    options: { by: byOption, note: noteOption },
    run: (call) => decide(call, 'rejected'),
  },
  {
    name: 'reviews note',
    about: 'Add a note to a review, decided or not.',
    operands: ['ID', 'TEXT'],
    options: { by: byOption },
    run: async ({ runtime, operands, options }) => {
      const staff = await getStaff(runtime, options.by ?? '');
      await noteReview(runtime, idOf(operands), { staff, note: operands.TEXT ?? '' });
    },
  },
  {
    name: 'reviews sample',
    about: 'Set how much of a day’s texts a firm reviews at random: at least one where there was any; 0 is none.',
    operands: ['FIRM', 'PERCENT'],
    options: {},
    run: async ({ runtime, operands, out }) => {
      const [firmId, percent] = [wholeNumber('FIRM', operands.FIRM ?? ''), percentOf(operands.PERCENT ?? '')];
      await setSamplePercent(runtime, firmId, percent);
      out.records([{ firmId, reviewSamplePercent: percent }]);
    },
  },
];

async function list({ runtime, options, json, out }: Call): Promise<void> {
  const firmId = options.firm === undefined ? null : wholeNumber('--firm', options.firm);
  const status = oneOf('--status', options.status ?? 'open', reviewStatuses);
  const kind = options.kind === undefined ? null : oneOf('--kind', options.kind, reviewKinds);
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
        phone,
        rules: rules.join(', '),
      };
      return status === 'open' ? about : { ...about, decidedBy };
    }),
  );
}

async function show({ runtime, operands, json, out }: Call): Promise<void> {
  const review = await getReview(runtime, idOf(operands));
  if (json) out.records([review]);
  else out.line(told(review));
}

async function decide({ runtime, operands, options, out }: Call, decision: Decision['decision']): Promise<void> {
  const staff = await getStaff(runtime, options.by ?? '');
  const decided = await decideReview(runtime, idOf(operands), { decision, staff, note: options.note });
  const { reviewId, status, decidedBy, outcome } = decided;
  out.records([{ reviewId, status, decidedBy, outcome }]);
}

/** A heading, the text, then a line for each that was decided or noted. */
function told(review: ReviewDetail): string {
  const { reviewId, kind, status, advisorName, phone, rules, lexiconVersion, messageId, archiveNumber, text } = review;
  const found = rules.length > 0 ? `: ${rules.join(', ')} (lexicon version ${lexiconVersion})` : '';
  const message = messageId === null ? '' : `, message ${messageId}`;
  return [
    `Review ${reviewId}, ${kind}, ${status}${found}`,
    `  ${review.dateTimeCreated.toISOString()}  ${inOneLine(advisorName)}, ${phone}${message}, archive entry ${archiveNumber}`,
    `  ${text === null ? '(no longer kept)' : inOneLine(text)}`,
    ...review.events.map(eventLine),
  ].join('\n');
}

function eventLine({ dateTime, actor, decision, outcome, note }: ReviewEvent): string {
  const what = [decision ?? 'noted', ...(outcome ? [`(${outcome})`] : []), `by ${actor}`].join(' ');
  return `  ${dateTime.toISOString()}  ${what}${note ? `: ${inOneLine(note)}` : ''}`;
}

function idOf(operands: Call['operands']): number {
  return wholeNumber('ID', operands.ID ?? '');
}

function percentOf(text: string): number {
  if (!/^\d{1,3}(\.\d{1,4})?$/.test(text)) throw new UsageError(`PERCENT must be a number such as 2.5, not "${text}".`);
  return Number(text);
}

function oneOf<Value extends string>(name: string, given: string, values: readonly Value[]): Value {
  const value = values.find((each) => each === given);
  if (!value) throw new UsageError(`${name} must be one of ${values.join(', ')}, not "${given}".`);
  return value;
}
