import { useInfiniteQuery, useQuery } from '@tanstack/react-query';
import { Link, useLocation, useNavigate, useSearch } from '@tanstack/react-router';
import { type FormEvent, useEffect, useState } from 'react';
import { now as clockNow, useNow } from '../../api/clock.ts';
import { get, post } from '../../api/http.ts';
import { Icon } from '../../look/icons.tsx';
import { Broken, Loading, StateScreen, Time } from '../../look/parts.tsx';
import { toast } from '../../shell/toasts.tsx';
import { hasWaited, lifeWords } from '../../words/lives.ts';
import { dayAfter, dayOf } from '../../words/months.ts';
import { count, phoneWords, readPhone } from '../../words/people.ts';
import { instantOf } from '../../words/schedules.ts';
import { ownZone, pastTime } from '../../words/times.ts';
import {
  advisorsQuery,
  type BegunSearch,
  type Entry,
  kindNames,
  lifeOf,
  marked,
  type Search,
  type SearchedKind,
  type SearchedPerson,
  saidIn,
  searchArchive,
  titleOf,
  wholeFirm,
  whoOf,
} from './entries.ts';
import { type Person, PersonField } from './person-field.tsx';
import './archive.css';
import { Button } from '../../look/button.tsx';
import { Choice, Field, Wrong } from '../../look/fields.tsx';
import { type Column, saveCsv } from '../table.tsx';

/** What the form has; days are the reader's. */
type SearchForm = { words: string; number: string; advisorId: string; kind: string; from: string; to: string };

/** Search over everything that the firm's advisors wrote and got, and what was decided about it. */
export function Archive() {
  const { search: searchId } = useSearch({ from: '/archive' });
  const { archive: before, __TSR_key: place } = useLocation({ select: ({ state }) => state });
  const saved = useQuery({
    queryKey: ['saved-search', searchId],
    queryFn: () => get<Search>(`/archive/searches/${searchId}`),
    enabled: searchId !== undefined && !before,
  });
  if (saved.error && !saved.data) return <Broken error={saved.error} />;
  return (
    <div className="console-page">
      <header className="console-head">
        <h1>Archive</h1>
      </header>
      {searchId === undefined || before || saved.data ? (
        <Form key={before?.place ?? place} begun={before ?? begunWith(saved.data ?? {}, place)} />
      ) : (
        <Loading height={320} />
      )}
    </div>
  );
}

function Form({ begun }: { begun: BegunSearch }) {
  const advisors = useQuery(advisorsQuery).data;
  const navigate = useNavigate();
  const [asked, setAsked] = useState(() => askedIn(begun.search));
  const [who, setWho] = useState<SearchedPerson>(begun.who);
  const [{ search, at }, setSearch] = useState(() => ({ search: begun.search, at: clockNow() }));
  const [wrong, setWrong] = useState<string | null>(null);
  const set = (change: Partial<SearchForm>) => setAsked({ ...asked, ...change });
  const run = (person: SearchedPerson = who) => {
    const number = asked.number.trim();
    const phone = number === '' ? undefined : readPhone(number);
    if (phone === null) return setWrong('That is no phone number: write it with its area code.');
    setWrong(null);
    const search = searchOf(asked, phone, person);
    setSearch({ search, at: clockNow() });
    // With the page in the browser's history, so that it is there again after a look at an entry.
    void navigate({ to: '/archive', state: { archive: { ...begun, search, who: person } }, replace: true });
  };
  const choose = (person: Person) => {
    const chosen = { memberId: person.memberId, name: person.name ?? phoneWords(person.phone) };
    setWho(chosen);
    run(chosen);
  };
  const submit = (event: FormEvent) => {
    event.preventDefault();
    run();
  };
  return (
    <>
      {/* biome-ignore lint/a11y/useSemanticElements: <search> is not in every browser that we support. */}
      <form className="console-card archive-form" role="search" onSubmit={submit}>
        <label className="label archive-words">
          Words
          <span className="field">
            <Icon name="search" />
            <input
              type="search"
              value={asked.words}
              placeholder="All of these words"
              onChange={({ target }) => set({ words: target.value })}
            />
          </span>
        </label>
        {who ? (
          <div className="label">
            Person
            <span className="archive-chosen">
              <span className="grow cut">{who.name}</span>
              <Button
                kind="quiet small square"
                aria-label="Any person"
                onClick={() => {
                  setWho(null);
                  run(null);
                }}
              >
                <Icon name="x" size={16} />
              </Button>
            </span>
          </div>
        ) : (
          <PersonField label="Person" choose={choose} />
        )}
        <Field
          label="Number"
          type="tel"
          value={asked.number}
          placeholder="+1 (212) 555-0123"
          set={(number) => set({ number })}
          wrong={wrong}
        />
        <Choice
          label="Advisor"
          value={asked.advisorId}
          choose={(advisorId) => set({ advisorId })}
          none="Any"
          options={advisors?.map(({ advisorId, name }) => [advisorId, name])}
        />
        <Choice
          label="Kind"
          value={asked.kind}
          choose={(kind) => set({ kind })}
          none="Any"
          options={Object.entries(kindNames)}
        />
        <Field label="From" type="date" value={asked.from} set={(from) => set({ from })} />
        <Field label="To" type="date" min={asked.from} value={asked.to} set={(to) => set({ to })} />
        <button type="submit" className="button main archive-go">
          Search
        </button>
      </form>
      <Results key={at} search={search} who={who} place={begun.place} at={at} />
    </>
  );
}

/** For a spreadsheet. */
const columns: Pick<Column<Entry>, 'name' | 'text'>[] = [
  { name: 'Advisor', text: ({ advisor }) => advisor ?? wholeFirm },
  { name: 'Entry', text: ({ number }) => number },
  { name: 'Time', text: ({ dateTime }) => dateTime },
  { name: 'Handed over', text: ({ handedOver }) => handedOver },
  { name: 'Kind', text: (entry) => titleOf(entry).title },
  { name: 'By', text: whoOf },
  { name: 'Person', text: ({ name }) => name },
  { name: 'Number', text: ({ phone }) => phone && phoneWords(phone) },
  { name: 'Text', text: (entry) => entry.text ?? saidIn(entry) },
];
const lookAgainMs = 2_000;
const indexingWords = 'The newest entries are still being indexed. This looks again by itself.';
/** So many are on one page at most. */
const shownMax = 2_000;

/** What was found, and is looked for again until everything is indexed that was there `at` the time of the question. */
function Results({ search, who, place, at }: BegunSearch & { at: number }) {
  const now = useNow();
  const navigate = useNavigate();
  const { data, error, isFetching, hasNextPage, fetchNextPage, refetch } = useInfiniteQuery({
    queryKey: ['archive', search],
    queryFn: ({ pageParam }) => searchArchive(search, pageParam),
    initialPageParam: null as string | null,
    getNextPageParam: ({ cursor }) => cursor,
    refetchInterval: ({ state }) => (isBehind(state.data?.pages[0], at) ? lookAgainMs : false),
  });
  const isIndexing = isBehind(data?.pages[0], at);
  const entries = data?.pages.flatMap((page) => page.data) ?? [];
  const searchedTo = data?.pages.at(-1)?.searchedTo ?? null;
  const [isWhole, showAll] = useState(false);
  const goesOn = hasNextPage && (isWhole ? entries.length < shownMax : searchedTo !== null && entries.length === 0);
  // All of it, for who has to print a history; or a common word that nobody wrote lately: it goes on until it has found some.
  useEffect(() => {
    if (goesOn && !isFetching && !error) void fetchNextPage();
  }, [goesOn, isFetching, error, fetchNextPage]);
  if (error && !data) return <Broken error={error} retry={refetch} />;
  const share = async () => {
    try {
      const { searchId } = await post<{ searchId: number }>('/archive/searches', { body: search });
      const state = { archive: { search, who, place } };
      await navigate({ to: '/archive', search: { search: searchId }, state, replace: true });
    } catch (error) {
      return toast((error as Error).message);
    }
    const isCopied = await navigator.clipboard?.writeText(location.href).then(
      () => true,
      () => false,
    );
    toast(`${isCopied ? 'The link is copied' : 'Copy this page’s address'}: staff of your firm can open the search.`);
  };
  return (
    <section aria-label="Found" aria-busy={isFetching} className="archive-results">
      <div className="row wrap">
        <h2>{Object.keys(search).length === 0 ? 'The newest entries' : 'Found'}</h2>
        <div className="row end">
          {entries.length > 0 && (
            <Button icon="download" kind="small" onClick={() => saveCsv('archive', columns, entries)}>
              CSV of {count(entries.length, 'entry', 'entries')}
            </Button>
          )}
          <Button icon="copy" kind="small" onClick={() => void share()}>
            Share this search
          </Button>
        </div>
      </div>
      {!data && <Loading height={320} />}
      {data && entries.length === 0 && !hasNextPage && (
        <div className="console-card">
          <StateScreen icon="search" title={isIndexing ? 'Nothing found yet' : 'Nothing found'}>
            {isIndexing
              ? indexingWords
              : 'No entry of your firm fits all of it. Words are whole words; fewer of them find more.'}
          </StateScreen>
        </div>
      )}
      {isIndexing && entries.length > 0 && (
        <p className="hint warn" role="status">
          <Icon name="clock" />
          {indexingWords}
        </p>
      )}
      {entries.length > 0 && (
        <ul className="console-card archive-list">
          {entries.map((entry) => (
            <Hit key={`${entry.advisorId}-${entry.number}`} entry={entry} words={search.words} now={now} />
          ))}
        </ul>
      )}
      {searchedTo !== null && (
        <p className="small soft" role="status">
          Searched back to {pastTime(Date.parse(searchedTo), now)}
          {isFetching ? ' …' : '.'}
        </p>
      )}
      {error && !isFetching && <Wrong>{error.message}</Wrong>}
      {hasNextPage && <p className="only-print">The list goes on: these are the newest.</p>}
      {hasNextPage && (
        <div className="row">
          <Button disabled={isFetching} onClick={() => void fetchNextPage()}>
            {searchedTo === null ? 'Show more' : 'Search further back'}
          </Button>
          {entries.length < shownMax && (
            <Button kind="quiet" disabled={isFetching} onClick={() => showAll(true)}>
              Show all
            </Button>
          )}
          <span className="small soft number" role="status">
            {count(entries.length, 'entry', 'entries')} shown
          </span>
        </div>
      )}
    </section>
  );
}

function isBehind(page: { unindexedSince: string | null } | undefined, at: number): boolean {
  return page !== undefined && page.unindexedSince !== null && Date.parse(page.unindexedSince) <= at;
}

function Hit({ entry, words, now }: { entry: Entry; words: string | undefined; now: number }) {
  const { advisorId, number, kind, name, phone, advisor, text, dateTime } = entry;
  const { title, icon } = titleOf(entry);
  const life = lifeOf(entry);
  const at = Date.parse(dateTime);
  return (
    <li>
      <Link
        to="/archive/$advisorId/$number"
        params={{ advisorId: String(advisorId), number: String(number) }}
        state={{ isHit: true }}
      >
        <span className="archive-icon">
          <Icon name={icon} />
        </span>
        <span className="grow">
          <span className="row wrap archive-line">
            <b>{name ?? (phone ? phoneWords(phone) : (advisor ?? wholeFirm))}</b>
            <span className="small soft">
              {life && hasWaited(life) ? lifeWords(life, title, { now }) : title}
              {text !== null && ['consent', 'review'].includes(kind) ? `: ${saidIn(entry)}` : ''} · {whoOf(entry)}
              {phone && whoOf(entry) !== advisor ? ` · ${advisor}` : ''}
            </span>
            <span className="small soft end">
              <Time at={at}>{pastTime(at, now)}</Time>
            </span>
          </span>
          <span className="archive-text">{text === null ? saidIn(entry) : <Marked text={text} words={words} />}</span>
        </span>
      </Link>
    </li>
  );
}

export function Marked({ text, words }: { text: string; words: string | undefined }) {
  // biome-ignore lint/suspicious/noArrayIndexKey: the parts of a text have no other.
  return marked(text, words).map((part, index) => (index % 2 === 1 ? <mark key={index}>{part}</mark> : part));
}

function begunWith(search: Search, place: string | undefined): BegunSearch {
  return { search, place, who: search.memberId ? { memberId: search.memberId, name: 'One person' } : null };
}

function askedIn({ words, phone, advisorId, kind, from, to }: Search): SearchForm {
  return {
    words: words ?? '',
    number: phone ?? '',
    advisorId: advisorId === undefined ? '' : String(advisorId),
    kind: kind ?? '',
    from: from ? dayOf(Date.parse(from), ownZone) : '',
    to: to ? dayOf(Date.parse(to) - 1, ownZone) : '',
  };
}

function searchOf(
  { words, advisorId, kind, from, to }: SearchForm,
  phone: string | undefined,
  who: SearchedPerson,
): Search {
  const moment = (day: string) => new Date(instantOf(`${day}T00:00`, ownZone) ?? 0).toISOString();
  return {
    ...(words.trim() && { words: words.trim() }),
    ...(phone && { phone }),
    ...(who && { memberId: who.memberId }),
    ...(advisorId && { advisorId: Number(advisorId) }),
    ...(kind && { kind: kind as SearchedKind }),
    ...(from && { from: moment(from) }),
    ...(to && { to: moment(dayAfter(to)) }),
  };
}
