import { queryOptions } from '@tanstack/react-query';
import type { ArchiveSearch } from '../../../../server/src/domain/record-keeping/archive-search.ts';
import type { entry, search as found, proof } from '../../../../server/src/http/console/archive.ts';
import type { advisors } from '../../../../server/src/http/console/people.ts';
import { get, post } from '../../api/http.ts';
import type { IconName } from '../../look/icons.tsx';
import type { Life } from '../../words/lives.ts';
import { consentWords } from '../../words/states.ts';
import type { AnswerOf, RowOf } from '../answers.ts';
import { detailWords, whatWords } from '../audit/words.ts';

export type SearchedKind = NonNullable<Search['kind']>;
export type Search = ArchiveSearch;
export type Entry = RowOf<typeof found>;
export type ReadEntry = AnswerOf<typeof entry>['entries'][number];
export type SearchedPerson = { memberId: number; name: string } | null;
/** A search, the name of the person in it, and the place in the browser's history at which its form was opened. */
export type BegunSearch = { search: Search; who: SearchedPerson; place: string | undefined };

export const searchArchive = (search: Search, cursor: string | null) =>
  post<AnswerOf<typeof found>>('/archive/search', { body: search, query: { cursor: cursor ?? undefined } });

export const entryQuery = (advisorId: number, number: number) => ({
  queryKey: ['archive', advisorId, number],
  queryFn: async () => (await get<AnswerOf<typeof entry>>(`/archive/${advisorId}/${number}`)).entries,
});

/** Looks again until it is signed. */
export const proofQuery = (advisorId: number, number: number) =>
  queryOptions({
    queryKey: ['archive', advisorId, number, 'proof'],
    queryFn: async () => (await get<AnswerOf<typeof proof>>(`/archive/${advisorId}/${number}/proof`)).proof,
    refetchInterval: ({ state }) => (state.data === null ? 2_000 : false),
  });

/** What an examiner runs in the folder of an export. */
export const checkingCommand = 'node verify.mjs --package . --checkpoint checkpoint --pubkey public-key';

export const advisorsQuery = {
  queryKey: ['firm-advisors'],
  queryFn: async () => (await get<AnswerOf<typeof advisors>>('/firm/advisors')).data,
  staleTime: 60_000,
};

export const kindNames: Record<SearchedKind, string> = {
  sent: 'Texts sent',
  received: 'Texts received',
  consent: 'Consent',
  review: 'Reviews and notes',
  other: 'Everything else',
};

const titles: Record<string, [string, IconName]> = {
  text_out: ['Text sent', 'send'],
  text_in: ['Text received', 'message-2'],
  media_in: ['Attachment received', 'paperclip'],
  consent: ['Consent', 'shield-check'],
  review: ['Review', 'clipboard-check'],
  schedule: ['Scheduled text', 'calendar-clock'],
  broadcast: ['Text to a group', 'users'],
  export: ['Export', 'package-export'],
  merge: ['Contacts merged', 'users'],
  setting: ['Setting', 'settings'],
  staff: ['Staff', 'users'],
  sign_in: ['Sign-in', 'key'],
  text_read: ['Text read', 'eye'],
  hold: ['Legal hold', 'gavel'],
  retention: ['Retention', 'clock'],
  disposal: ['Disposal', 'trash'],
};

/** Whose an entry is that is no advisor's. */
export const wholeFirm = 'The firm';

/** The entry was written when the text was accepted: this is what became of it. */
const textTitles: Record<NonNullable<Entry['status']>, string> = {
  queued: 'Text not yet sent',
  awaiting_consent: 'Text waiting for consent',
  held: 'Text held',
  sent: 'Text sent',
  delivered: 'Text delivered',
  undelivered: 'Text not delivered',
  failed: 'Text not sent',
  in_doubt: 'Text in doubt',
};

/** Of a text that was to be sent. */
export function lifeOf({ kind, status, dateTime, handedOver, ended, waitedFor }: Entry): Life | null {
  if (kind !== 'text_out' || status === null) return null;
  const at = (time: string | null) => (time === null ? null : Date.parse(time));
  return { status, dateTime: Date.parse(dateTime), handedOver: at(handedOver), ended: at(ended), waitedFor };
}

export function titleOf({ kind, status }: Entry): { title: string; icon: IconName } {
  const [title, icon] = titles[kind] ?? ['Entry', 'archive'];
  return { title: status ? textTitles[status] : title, icon };
}

const reviewWords: Record<string, string> = {
  approved: 'Approved',
  rejected: 'Rejected',
  assigned: 'Assigned',
  unassigned: 'No longer assigned',
  escalated: 'Escalated',
  returned: 'Given back to reviewers',
  undone: 'A decision undone in time',
  not_done: 'The decision could not be carried out',
  shown: 'Hidden number shown',
};

/** A decision, what was done with a review, or what the lexicon found. */
function reviewSaid({ decision, action, blocked, held, flagged }: Record<string, unknown>): string {
  if (blocked) return 'Blocked, nobody got it';
  if (held) return 'Held';
  if (flagged) return 'Flagged';
  return reviewWords[String(decision ?? action)] ?? 'Note';
}

/** What an entry says that has no text. */
export function saidIn({ kind, facts, isKept, details }: Entry): string {
  const { to, what, action, count, archiveNumber } = facts as Record<string, unknown>;
  if (kind === 'consent') return consentWords[to as keyof typeof consentWords]?.word ?? 'Changed';
  if (kind === 'review') return reviewSaid(facts as Record<string, unknown>);
  if (kind === 'text_read' && typeof archiveNumber === 'number')
    return `The hidden number in entry ${archiveNumber.toLocaleString('en-US')} was shown`;
  if (!isKept && ['text_out', 'text_in', 'media_in'].includes(kind)) return 'No longer kept';
  if (kind === 'disposal' && typeof count === 'number') return `${count.toLocaleString('en-US')} bodies disposed of`;
  const said = String(what ?? action ?? '');
  return [kind === 'setting' ? whatWords({ what: said, kind }) : sentence(said), detailWords(details)]
    .filter(Boolean)
    .join(' · ');
}

/** Who did it. */
export function whoOf({ actor, actorName, advisor, name, facts }: Entry): string {
  const [kind] = actor.split(':');
  if (kind === 'person') return name ?? 'the person';
  if (kind === 'advisor') return advisor ?? wholeFirm;
  if (actorName) return 'via' in facts ? `${actorName}, by command` : actorName;
  return { carrier: 'Their carrier', operator: 'The operator', application: 'An application' }[kind ?? ''] ?? 'Assent';
}

function sentence(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1).replaceAll('_', ' ');
}

const word = /[\p{L}\p{M}\p{N}]+/gu;

/** As the archive's index does: case and accents don't count. */
function folded(text: string): string {
  return text
    .normalize('NFKD')
    .replace(/[\u0300-\u036f]/g, '')
    .toLowerCase();
}

/** The text in parts: every second one is a word that was looked for. */
export function marked(text: string, words: string | undefined): string[] {
  const wanted = new Set(folded(words ?? '').match(word));
  const parts = [''];
  for (const part of text.split(new RegExp(`(${word.source})`, 'u'))) {
    if (part && wanted.has(folded(part))) parts.push(part, '');
    else parts.push(`${parts.pop()}${part}`);
  }
  return parts;
}
