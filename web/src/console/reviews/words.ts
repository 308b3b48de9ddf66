import { count, firstName } from '../../words/people.ts';
import type { StateWord } from '../../words/states.ts';
import { dayAndTime } from '../../words/times.ts';
import type { Decision, Review, ReviewDetail, ReviewEvent, View } from './queries.ts';

export const viewNames: Record<View, string> = {
  all: 'All',
  mine: 'Mine',
  escalated: 'Escalated',
  possible_opt_out: 'Possible opt-out',
  held: 'Held',
  flagged: 'Flagged',
  blocked: 'Blocked',
  opt_out_wording: 'Opt-out in other words',
  out_of_order: 'Out of order',
  misdirected: 'Unknown sender',
  sample: 'Sample',
};
/** In the order of the tabs. Those that follow the first are shown while there is something in them. */
export const views = Object.keys(viewNames) as View[];
export const lastingViews: readonly View[] = ['all', 'possible_opt_out', 'held'];

const kindWords: Record<Review['kind'], StateWord> = {
  possible_opt_out: { word: 'Possible opt-out', icon: 'hand-stop', tone: 'bad' },
  opt_out_wording: { word: 'Opted out in other words', icon: 'ban', tone: 'warn' },
  out_of_order: { word: 'Out of order', icon: 'history', tone: 'warn' },
  misdirected: { word: 'Unknown sender', icon: 'help-circle', tone: 'warn' },
  held: { word: 'Held', icon: 'alert-triangle', tone: 'warn' },
  flagged: { word: 'Flagged', icon: 'alert-triangle', tone: 'warn' },
  blocked: { word: 'Blocked', icon: 'ban', tone: 'warn' },
  sample: { word: 'Sample', icon: 'dice', tone: 'quiet' },
};

/** What it is about: the rule that matched, or the kind. */
export function subjectOf({ kind, rules }: Pick<Review, 'kind' | 'rules'>): StateWord {
  const said = kindWords[kind];
  if (rules.length === 0) return said;
  const word = rules.join(', ');
  return { ...said, word, icon: /\bcard\b/i.test(word) ? 'credit-card' : said.icon };
}

/** `2 h`, `3 d` */
export function age(at: string, now: number): string {
  const minutes = Math.max(0, Math.floor((now - Date.parse(at)) / 60_000));
  if (minutes === 0) return 'now';
  if (minutes < 60) return `${minutes} min`;
  if (minutes < 48 * 60) return `${Math.floor(minutes / 60)} h`;
  return `${Math.floor(minutes / (24 * 60))} d`;
}

/** A button of a decision: its key, and what is said once it is made. */
export type SeveralChoice = { decision: Decision; name: string; key: string; done: string };
/** Of one review, with what it will do, said before. */
export type Choice = SeveralChoice & { does: string };

const approve = { decision: 'approved', name: 'Approve', key: 'a', done: 'Approved' } as const;
const reject = { decision: 'rejected', name: 'Reject', key: 'r', done: 'Rejected' } as const;
const stop = { decision: 'rejected', name: 'Opt out', key: 'o', done: 'Opted out' } as const;
const goOn = { decision: 'approved', name: 'Not an opt-out', key: 'x', done: 'Not an opt-out' } as const;

/** Of several reviews, all of them possible opt-outs or none. */
export const severalChoices: Record<'optOuts' | 'others', SeveralChoice[]> = {
  optOuts: [stop, { ...goOn, name: 'Not opt-outs', done: 'Not opt-outs' }],
  others: [approve, reject],
};

export function choicesOf(review: ReviewDetail): [Choice, Choice] {
  if (review.kind === 'possible_opt_out') return optOutChoices(review);
  const [approves, rejects] = effects(review);
  return [
    { ...approve, does: approves },
    { ...reject, does: rejects },
  ];
}

function optOutChoices({ effect, name }: ReviewDetail): [Choice, Choice] {
  if (!effect?.since) {
    const does = 'closes the review; they have settled it since.';
    return [
      { ...stop, does },
      { ...goOn, does },
    ];
  }
  const texts = effect.heldTexts === 1 ? 'the held text' : `the ${count(effect.heldTexts, 'held text')}`;
  const [is, goes] = effect.heldTexts === 1 ? ['is', 'goes'] : ['are', 'go'];
  const confirms = effect.isConfirmed
    ? 'they get the confirmation'
    : 'no confirmation (more than 5 minutes have passed)';
  const refused = effect.heldTexts > 0 ? `${texts} ${is} refused.` : 'no text is held.';
  const who = firstName(name) === 'They' ? 'them' : firstName(name);
  return [
    { ...stop, does: `as of ${dayAndTime(Date.parse(effect.since))}; ${confirms}; ${refused}` },
    {
      ...goOn,
      does:
        effect.heldTexts > 0
          ? `${texts} ${goes} out as soon as the other checks allow.`
          : `texts to ${who} aren’t held any more.`,
    },
  ];
}

function effects({ kind, advisorName }: ReviewDetail): [string, string] {
  switch (kind) {
    case 'held':
      return [
        'the text goes out as soon as the other checks allow.',
        `it is never sent; ${advisorName} sees that the firm’s rules stopped it.`,
      ];
    case 'blocked':
      return ['closes the review. The text stays blocked.', 'the same, and the record says that you object to it.'];
    case 'opt_out_wording':
      return [
        'closes the review. They stay opted out.',
        'closes the review. They stay opted out: only they can undo it.',
      ];
    default:
      return [
        'closes the review; nothing is wrong with it.',
        'closes the review; the record says that you object to it.',
      ];
  }
}

/** Why it is in the queue. What was found is marked in the text. */
export function reasonOf(review: ReviewDetail): string {
  const { kind, lexiconVersion } = review;
  const lexicon = lexiconVersion === 0 ? 'the built-in lexicon' : `version ${lexiconVersion} of the firm’s lexicon`;
  const reasons: Record<Review['kind'], string> = {
    possible_opt_out: 'may mean stop (built-in wording).',
    opt_out_wording: 'asks to stop without using the word STOP. They were opted out at once.',
    out_of_order: 'The carrier’s time stamps and the order of arrival disagree about what they want.',
    misdirected: 'The sender isn’t a phone number, so nobody can reply. The text is only archived.',
    held: `matches ${lexicon}. The text waits for you.`,
    flagged: `matches ${lexicon}. It was not held back.`,
    blocked: `matches ${lexicon}. Nobody got the text.`,
    sample: 'Chosen at random from the day’s texts, whatever they say.',
  };
  return reasons[kind];
}

export function eventWords({ action, decision, actorName, isByCommand, note }: ReviewEvent): string {
  const who = `${actorName ?? 'Somebody'}${isByCommand ? ', by command,' : ''}`;
  if (decision) return `${who} ${decision === 'approved' ? 'approved' : 'rejected'} it`;
  if (action === 'assigned') return `${who} assigned it`;
  if (action === 'unassigned') return `${who} took it back`;
  if (action === 'escalated') return `${who} escalated it`;
  if (action === 'returned') return `${who} gave it back to reviewers`;
  if (action === 'undone') return `${who} undid a decision`;
  if (action === 'not_done') return `${who}’s decision could not be carried out`;
  if (action === 'shown') return `${who} revealed the hidden number`;
  return note ? `${who} noted` : who;
}
