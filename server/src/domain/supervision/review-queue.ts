import type { Deps } from '../../deps.ts';
import { listWaitingActions } from '../../store/shared/pending-actions.ts';
import { listLexiconVersions } from '../../store/supervision/lexicons.ts';
import type { QueueFilter } from '../../store/supervision/review-queue.ts';
import * as store from '../../store/supervision/review-queue.ts';
import { cutTo } from '../shared/paging.ts';
import { endsOf } from '../shared/text/text-rules.ts';
import { dayMs } from '../shared/time.ts';
import { excerptOf, type Mark, markFindings } from './findings.ts';
import { type Matcher, matcherInTurns } from './lexicon-matching.ts';
import { defaultLexicon, rulesIn } from './lexicons.ts';
import { type Review, reviewKinds } from './reviews.ts';

/** Which part of the queue: a kind, what is assigned to the reader, or what was escalated. */
export type QueueView = 'all' | 'mine' | 'escalated' | Review['kind'];
type Reader = { firmId: number; staffId: number };
/** Of these people only, if any are given. */
type Listing = { view: QueueView; memberIds?: number[]; after: number | null; isNewestFirst: boolean };

export const queueViews: readonly QueueView[] = ['all', 'mine', 'escalated', ...reviewKinds];
const pageSize = 50;
/** Each part is counted up to here: more are shown as that many and a plus sign. */
export const countMax = 1_000;
const similarDays = 90;

/** A page of the firm's open reviews, without those that somebody has just decided. */
export async function listQueue(deps: Deps, reader: Reader, { view, memberIds, ...asked }: Listing) {
  const filter = { ...filterOf(view, reader, await justDecided(deps)), memberIds };
  const rows = await store.listQueue(deps.db, reader.firmId, filter, { ...asked, limit: pageSize + 1 });
  const { page: shown, last } = cutTo(pageSize, rows);
  const [words, matcherFor] = await Promise.all([store.listQueueWords(deps.db, shown), matchersOf(deps, shown)]);
  const byId = new Map(words.map((each) => [each.reviewId, each]));
  const data = [];
  for (const review of shown) {
    const { name = null, text = null } = byId.get(review.reviewId) ?? {};
    const match = await matcherFor(review);
    await deps.turn();
    // What a lexicon reads of it.
    const read = text && endsOf(text);
    data.push({ ...review, name, excerpt: read && excerptOf(read, markFindings(read, match)) });
  }
  return { data, cursor: last?.reviewId ?? null };
}

export async function countQueue(deps: Deps, reader: Reader): Promise<Record<QueueView, number>> {
  const without = await justDecided(deps);
  const views = queueViews.filter((view) => view !== 'all');
  const filters = Object.fromEntries(views.map((view) => [view, filterOf(view, reader, without)]));
  const counts = await store.countQueue(deps.db, reader.firmId, filters, countMax);
  const all = reviewKinds.reduce((sum, kind) => sum + (counts[kind] ?? 0), 0);
  return { ...counts, all } as Record<QueueView, number>;
}

/** Where the rules of a review match its text, by the version of the lexicon that found it. */
export async function marksOf(deps: Deps, review: Review, text: string): Promise<Mark[]> {
  const match = await (await matchersOf(deps, [review]))(review);
  await deps.turn();
  return markFindings(text, match);
}

/** How possible opt-outs were decided lately: the next one is like them. */
export function countSimilar(deps: Deps, { firmId }: Review): Promise<{ optOuts: number; others: number }> {
  return store.countOptOutDecisions(deps.db, firmId, new Date(deps.clock.now().getTime() - similarDays * dayMs));
}

/** The person's name in the advisor's book. */
export async function findName({ db }: Deps, review: Review): Promise<string | null> {
  return (await store.listQueueWords(db, [review]))[0]?.name ?? null;
}

async function justDecided({ db }: Deps): Promise<number[]> {
  return (await listWaitingActions(db, 'decide_review')).map(({ targetId }) => targetId);
}

function filterOf(view: QueueView, { staffId }: Reader, without: number[]): QueueFilter {
  if (view === 'all') return { without };
  if (view === 'mine') return { assignedTo: staffId, without };
  if (view === 'escalated') return { isEscalated: true, without };
  return { kind: view, without };
}

/** What the rules that found something in a review find. Most were found by the same as the one before. */
async function matchersOf({ db, turn }: Deps, reviews: Review[]): Promise<(review: Review) => Promise<Matcher>> {
  const versions = reviews.flatMap(({ firmId, lexiconVersion: version }) => (version ? { firmId, version } : []));
  const rows = versions.length > 0 ? await listLexiconVersions(db, versions) : [];
  const lexicons = new Map(rows.map(({ firmId, version, rules }) => [`${firmId} ${version}`, rules]));
  let last: { key: string; match: Matcher } | undefined;
  return async ({ firmId, lexiconVersion, rules: names }) => {
    const lexicon = lexicons.get(`${firmId} ${lexiconVersion}`) ?? defaultLexicon.rules;
    const key = JSON.stringify([firmId, lexiconVersion, names]);
    if (last?.key === key) return last.match;
    await turn();
    const found = names.length === 0 ? [] : rulesIn(lexicon).filter(({ name }) => names.includes(name));
    last = { key, match: await matcherInTurns(turn, found) };
    return last.match;
  };
}
