import '../../inbox/inbox.css';
import './reviews.css';
import { useInfiniteQuery, useQuery } from '@tanstack/react-query';
import { useNavigate, useParams, useSearch } from '@tanstack/react-router';
import { lazy, type RefObject, Suspense, useEffect, useRef, useState } from 'react';
import { post } from '../../api/http.ts';
import { Button } from '../../look/button.tsx';
import { Icon } from '../../look/icons.tsx';
import { Broken, StateScreen } from '../../look/parts.tsx';
import { useChoiceKeys, useKeys } from '../../shell/keys.ts';
import { count } from '../../words/people.ts';
import { client } from '../client.ts';
import { decideAll, offerWaiting, undoLast } from './deciding.ts';
import { countsQuery, type QueuedReview, queueQuery, reviewQuery, type View } from './queries.ts';
import { Queue } from './queue.tsx';
import { OpenReview } from './review.tsx';
import { lastingViews, type SeveralChoice, severalChoices, viewNames, views } from './words.ts';

const Shortcuts = lazy(() => import('../../shell/shortcuts.tsx'));

const keys: [string, string[]][] = [
  ['Approve, reject', ['A', 'R']],
  ['Opt out, not an opt-out', ['O', 'X']],
  ['Undo the last decision', ['Z']],
  ['Write a note', ['N']],
  ['Escalate', ['E']],
  ['Next review', ['J']],
  ['Previous one', ['K']],
  ['Find somebody’s reviews', ['/']],
  ['Select for several at once', ['S']],
  ['Leave a field, close a dialog', ['Esc']],
  ['This sheet', ['?']],
];
const deskWidth = '(min-width: 900px)';

/** The firm's queue, and the review that is open. */
export function Reviews() {
  const { reviewId } = useParams({ strict: false }) as { reviewId?: number };
  const { view = 'all', order = 'oldest' } = useSearch({ strict: false });
  const [chosen, choose] = useState<ReadonlySet<number>>(new Set());
  const [isHelping, help] = useState(false);
  const navigate = useNavigate();
  const [wanted, want] = useState('');
  const field = useRef<HTMLInputElement>(null);
  const members = useMembers(wanted);
  const queue = useInfiniteQuery({ ...queueQuery(view, order, members ?? undefined), enabled: members !== null });
  const counts = useQuery(countsQuery).data?.counts;
  useEffect(() => void offerWaiting(), []);
  const rows = queue.data?.pages.flatMap(({ data }) => data) ?? [];
  // Only what the list shows: not what another view has, nor what a colleague has decided since.
  const selected = rows.filter((row) => chosen.has(row.reviewId));
  const clear = () => choose(new Set());
  const latest = useRef(reviewId);
  latest.current = reviewId;
  const at = rows.findIndex((row) => row.reviewId === reviewId);
  const search = { ...(view === 'all' ? {} : { view }), ...(order === 'oldest' ? {} : { order }) };
  const open = (next: number | undefined) =>
    void (next === undefined
      ? navigate({ to: '/reviews', search })
      : navigate({ to: '/reviews/$reviewId', params: { reviewId: next }, search }));
  const step = (by: number) => {
    const next = rows[at < 0 ? 0 : Math.min(rows.length - 1, Math.max(0, at + by))];
    if (next) open(next.reviewId);
  };
  const toggle = ({ reviewId }: QueuedReview) => choose((before) => before.symmetricDifference(new Set([reviewId])));
  useKeys({
    j: () => step(1),
    k: () => step(-1),
    z: undoLast,
    '?': () => help(true),
    s: () => rows[at] && toggle(rows[at]),
    Escape: clear,
    '/': () => field.current?.focus(),
  });
  const next = rows[at + 1]?.reviewId;
  const { hasNextPage, isFetching, fetchNextPage } = queue;
  // The next one is there before its key is pressed, also beyond what the list has loaded.
  useEffect(() => {
    if (at >= 0 && next !== undefined) void client.prefetchQuery(reviewQuery(next));
    else if (at >= 0 && hasNextPage && !isFetching) void fetchNextPage();
  }, [at, next, hasNextPage, isFetching, fetchNextPage]);
  // At a desk the first one is open; on a phone that would hide the list.
  const [first] = rows;
  // biome-ignore lint/correctness/useExhaustiveDependencies: once there is a first one.
  useEffect(() => {
    if (reviewId === undefined && first && matchMedia(deskWidth).matches) open(first.reviewId);
  }, [reviewId, first?.reviewId]);

  return (
    <div className={`reviews ${reviewId === undefined ? '' : 'reading'}`}>
      <section className="list" aria-label="Reviews">
        <Head view={view} order={order} wanted={wanted} want={want} field={field} />
        {selected.length > 0 && (
          <Several
            selected={selected}
            close={clear}
            decided={(reviewIds) => {
              if (latest.current !== undefined && reviewIds.includes(latest.current))
                open(rows.find((row) => !reviewIds.includes(row.reviewId))?.reviewId);
              clear();
            }}
          />
        )}
        {queue.error && !queue.data ? (
          <Broken error={queue.error} retry={() => void queue.refetch()} />
        ) : (
          <Queue
            key={`${view} ${order} ${members}`}
            rows={queue.data ? rows : null}
            open={reviewId}
            search={search}
            selected={chosen}
            toggle={toggle}
            isEmpty={<Empty view={view} wanted={wanted} />}
            more={() => {
              if (queue.hasNextPage && !queue.isFetchingNextPage) void queue.fetchNextPage();
            }}
          />
        )}
      </section>
      {reviewId === undefined ? (
        <div className="review-none">
          {queue.data && rows.length === 0 ? (
            <StateScreen icon="circle-check" title="Nothing to decide">
              New ones appear here by themselves.
            </StateScreen>
          ) : (
            <StateScreen icon="clipboard-check" title="Choose a review">
              Move with <kbd>J</kbd> and <kbd>K</kbd>; <kbd>?</kbd> shows all keys.
            </StateScreen>
          )}
        </div>
      ) : (
        <OpenReview
          key={reviewId}
          reviewId={reviewId}
          selected={selected.length}
          clear={clear}
          place={at < 0 ? null : at + 1}
          total={members === undefined ? counts?.[view] : queue.hasNextPage ? undefined : rows.length}
          step={step}
          decided={() => open((rows[at + 1] ?? rows[at - 1])?.reviewId)}
          back={() => open(undefined)}
        />
      )}
      <Suspense>{isHelping && <Shortcuts keys={keys} close={() => help(false)} />}</Suspense>
    </div>
  );
}

const nobody = '0';

/** The ids of those whose name or number fits, for the address of the list; undefined if nobody is looked for, null until it is known. */
function useMembers(wanted: string): string | null | undefined {
  const text = wanted.trim();
  const isWanted = text.length > 1;
  const { data } = useQuery({
    queryKey: ['people', text],
    queryFn: async () => (await post<{ data: { memberId: number }[] }>('/people/search', { body: { text } })).data,
    enabled: isWanted,
    placeholderData: (before) => before,
  });
  if (!isWanted) return undefined;
  return data ? data.map(({ memberId }) => memberId).join(',') || nobody : null;
}

type HeadProps = {
  view: View;
  order: 'oldest' | 'newest';
  wanted: string;
  want(text: string): void;
  field: RefObject<HTMLInputElement | null>;
};

function Head({ view, order, wanted, want, field }: HeadProps) {
  const { data } = useQuery(countsQuery);
  const navigate = useNavigate();
  const show = (next: View, by: 'oldest' | 'newest') =>
    void navigate({
      to: '/reviews',
      search: { ...(next === 'all' ? {} : { view: next }), ...(by === 'oldest' ? {} : { order: by }) },
    });
  const { counts, countMax = 1_000 } = data ?? {};
  const words = (each: View) => {
    const number = counts?.[each] ?? 0;
    return number >= countMax ? `${countMax.toLocaleString('en-US')}+` : number.toLocaleString('en-US');
  };
  const isCut = counts && Object.entries(counts).some(([each, number]) => each !== 'all' && number >= countMax);
  return (
    <div className="list-head">
      <div className="row">
        <h1 className="grow">Reviews</h1>
        <span className="soft number">{counts && `${counts.all.toLocaleString('en-US')}${isCut ? '+' : ''} open`}</span>
        <Button
          kind="quiet small square"
          aria-label={
            order === 'oldest' ? 'Oldest first: show the newest first' : 'Newest first: show the oldest first'
          }
          title={order === 'oldest' ? 'Oldest first' : 'Newest first'}
          onClick={() => show(view, order === 'oldest' ? 'newest' : 'oldest')}
        >
          <OrderIcon order={order} />
        </Button>
      </div>
      {/* biome-ignore lint/a11y/useSemanticElements: <search> is not in every browser that we support. */}
      <div className="field" role="search">
        <Icon name="search" />
        <input
          type="search"
          ref={field}
          value={wanted}
          aria-label="Find somebody’s reviews"
          placeholder="Name or number"
          autoComplete="off"
          onChange={({ target }) => want(target.value)}
          onKeyDown={({ key, currentTarget }) => {
            if (key === 'Escape') want('');
            if (key === 'Escape' || key === 'Enter') currentTarget.blur();
          }}
        />
        <kbd className="by-key">/</kbd>
      </div>
      <fieldset className="tabs review-tabs" aria-label="Which reviews">
        {views
          .filter((each) => lastingViews.includes(each) || each === view || (counts?.[each] ?? 0) > 0)
          .map((each) => (
            <button type="button" key={each} aria-pressed={view === each} onClick={() => show(each, order)}>
              {viewNames[each]} {each !== 'all' && counts && <span className="number">{words(each)}</span>}
            </button>
          ))}
      </fieldset>
    </div>
  );
}

function OrderIcon({ order }: { order: 'oldest' | 'newest' }) {
  return <Icon name={order === 'oldest' ? 'arrow-down' : 'arrow-up'} size={16} />;
}

/** A decision about all that are selected, said before. */
function Several({
  selected,
  close,
  decided,
}: {
  selected: QueuedReview[];
  close(): void;
  decided(reviewIds: number[]): void;
}) {
  const [isBusy, setBusy] = useState(false);
  const optOuts = selected.filter(({ kind }) => kind === 'possible_opt_out').length;
  const held = selected.filter(({ kind }) => kind === 'held').length;
  const isMixed = optOuts > 0 && optOuts < selected.length;
  const choices = isMixed ? [] : severalChoices[optOuts > 0 ? 'optOuts' : 'others'];
  const decide = async ({ decision, done }: SeveralChoice) => {
    if (isBusy) return;
    setBusy(true);
    const reviewIds = selected.map(({ reviewId }) => reviewId);
    const taken = await decideAll(reviewIds, decision, done);
    setBusy(false);
    // If nothing was decided, they stay selected.
    if (taken.length > 0) decided(taken);
  };
  const here = useRef<HTMLElement>(null);
  // Not in a narrow window, where the review that is open hides them.
  useChoiceKeys(choices, (choice) => here.current?.checkVisibility() && decide(choice));
  return (
    <section className="several" aria-label="Selected reviews" ref={here}>
      <div className="row">
        <b className="grow">{count(selected.length, 'review')} selected</b>
        <Button kind="quiet small" onClick={close}>
          Clear
        </Button>
      </div>
      {choices.length > 0 && (
        <div className="row">
          {choices.map((choice) => (
            <Button kind="small" key={choice.key} disabled={isBusy} onClick={() => void decide(choice)}>
              {choice.name} <kbd className="by-key">{choice.key.toUpperCase()}</kbd>
            </Button>
          ))}
        </div>
      )}
      <p className="small soft">
        {isMixed
          ? 'Possible opt-outs are decided apart from other reviews: select one sort.'
          : optOuts > 0
            ? 'Opt out: their held texts are refused. Not opt-outs: they go out as soon as the other checks allow.'
            : held > 0
              ? `Approve: ${count(held, 'held text')} go${held === 1 ? 'es' : ''} out as soon as the other checks allow. Reject: never sent.`
              : 'Either closes them.'}
        {!isMixed && ' Takes effect after 8 s.'}
      </p>
    </section>
  );
}

function Empty({ view, wanted }: { view: View; wanted: string }) {
  if (wanted.trim() !== '')
    return (
      <StateScreen icon="search" title="Nobody’s open review fits">
        Look for a name, a part of one, or a number. What was decided is in the archive.
      </StateScreen>
    );
  return (
    <StateScreen icon="circle-check" title={view === 'mine' ? 'Nothing is assigned to you' : 'Nothing to review'}>
      {view === 'all'
        ? 'Texts that your firm’s lexicon finds, and replies that may mean stop, appear here by themselves.'
        : 'There is nothing of this sort at the moment.'}
    </StateScreen>
  );
}
