import { useDebouncedValue } from '@mantine/hooks';
import { useInfiniteQuery, useQuery } from '@tanstack/react-query';
import { Link, useNavigate } from '@tanstack/react-router';
import { useRef, useState } from 'react';
import { useNow } from '../api/clock.ts';
import { client, conversationsQuery, findByPhone, searchQuery } from '../api/queries.ts';
import { useAdvisor } from '../api/session.ts';
import type { Conversation, View } from '../api/types.ts';
import { Tabs } from '../look/fields.tsx';
import { Icon } from '../look/icons.tsx';
import { Broken, Chip, Face, StateScreen, Time } from '../look/parts.tsx';
import { VirtualList } from '../look/virtual-list.tsx';
import { useEnter, useKeys } from '../shell/keys.ts';
import { phoneWords } from '../words/people.ts';
import { consentOf, consentWords, possibleOptOut, type StateWord } from '../words/states.ts';
import { shortTime, whenTime } from '../words/times.ts';
import { keptDraft } from './drafts.ts';
import { type Attempt, useUnsent } from './outbox.ts';

const views: Record<View, string> = { inbox: 'Inbox', unread: 'Unread', snoozed: 'Snoozed', done: 'Done' };
const typingMs = 200;
const searchLengthMax = 200;

export function ConversationList({ open }: { open: number | undefined }) {
  const [view, setView] = useState<View>('inbox');
  const [typed, setTyped] = useState('');
  const [text] = useDebouncedValue(typed, typingMs);
  const field = useRef<HTMLInputElement>(null);
  const navigate = useNavigate();
  const search = () => field.current?.focus();
  useKeys({ '/': search });
  const { isPending, isPlaceholderData } = useQuery(searchQuery(text.trim()));
  const enter = useEnter(typed, text === typed && !isPending && !isPlaceholderData, () =>
    document.querySelector<HTMLElement>('.found .talk')?.click(),
  );
  return (
    <section className="list" aria-label="Conversations">
      <div className="list-head">
        <div className="row">
          <h1>Inbox</h1>
          <Link to="/new" className="button end">
            <Icon name="edit" />
            New text
          </Link>
        </div>
        <div className="field">
          <Icon name="search" />
          <input
            ref={field}
            type="search"
            aria-label="Search people and texts"
            placeholder="People and texts"
            maxLength={searchLengthMax}
            value={typed}
            onChange={({ target }) => setTyped(target.value)}
            onKeyDown={(event) => {
              if (event.key === 'Enter') enter();
              if (event.key !== 'Escape') return;
              setTyped('');
              field.current?.blur();
            }}
          />
          <kbd>/</kbd>
        </div>
        <Tabs
          label="Which conversations"
          options={Object.entries(views)}
          chosen={view}
          choose={(each) => {
            setView(each);
            if (each === 'unread') void client.invalidateQueries({ queryKey: conversationsQuery('unread').queryKey });
          }}
        />
      </div>
      {text.trim().length > 1 ? (
        <Results
          text={text.trim()}
          open={open}
          choose={(memberId, at) =>
            void navigate({ to: '/c/$memberId', params: { memberId }, search: at ? { at } : {} })
          }
        />
      ) : (
        <Rows key={view} view={view} open={open} />
      )}
    </section>
  );
}

function Rows({ view, open }: { view: View; open: number | undefined }) {
  const { data, error, refetch, hasNextPage, fetchNextPage, isFetchingNextPage } = useInfiniteQuery(
    conversationsQuery(view),
  );
  const rows = data?.pages.flatMap((page) => page.data) ?? [];
  const navigate = useNavigate();
  const step = (by: number) => {
    const at = rows.findIndex(({ memberId }) => memberId === open);
    const next = rows[at < 0 ? 0 : Math.min(rows.length - 1, Math.max(0, at + by))];
    if (next) void navigate({ to: '/c/$memberId', params: { memberId: next.memberId } });
  };
  useKeys({ j: () => step(1), k: () => step(-1) });
  const unsent = useUnsent().filter(({ phone }) => view === 'inbox' && !rows.some((row) => row.phone === phone));

  if (error && !data) return <Broken error={error} retry={() => void refetch()} />;
  if (!data) return <Loading />;
  if (rows.length + unsent.length === 0) return <Empty view={view} />;
  return (
    <>
      {unsent.map((attempt) => (
        <Unsent attempt={attempt} key={attempt.key} />
      ))}
      <VirtualList
        rows={rows}
        keyOf={({ memberId }) => memberId}
        rowHeight={62}
        open={open}
        more={() => {
          if (hasNextPage && !isFetchingNextPage) void fetchNextPage();
        }}
      >
        {(row) => <Row conversation={row} isOpen={row.memberId === open} />}
      </VirtualList>
    </>
  );
}

/** Leads to the conversation, or calls `choose` where it is shown on the same screen. */
export function Row({
  conversation,
  isOpen,
  choose,
}: {
  conversation: Conversation;
  isOpen: boolean;
  choose?: () => void;
}) {
  const { timeZone } = useAdvisor();
  const now = useNow();
  const { memberId, name, phone, unread, last } = conversation;
  const draft = keptDraft(memberId) ?? conversation.draft;
  const unsent = useUnsent().find((attempt) => attempt.phone === phone);
  const chip = unsent ? unsentChip(unsent) : chipOf(conversation, now, timeZone);
  const shown = (
    <>
      <Face name={name} phone={phone} />
      <div className="grow">
        <div className="row">
          <span className="name cut grow">{name ?? phoneWords(phone)}</span>
          {last && (
            <span className="faint small">
              <Time at={last.dateTime} zone={timeZone}>
                {shortTime(last.dateTime, now, timeZone)}
              </Time>
            </span>
          )}
        </div>
        <div className="row">
          <span className="said cut grow">{draft ? `Draft: ${draft}` : said(conversation)}</span>
          {unread > 0 && <span className="dot" role="img" aria-label={`${unread} unread`} />}
        </div>
        {chip && <Chip {...chip} />}
      </div>
    </>
  );
  const attributes = {
    className: `talk ${unread ? 'unread' : ''}`,
    'aria-current': isOpen ? 'page' : undefined,
  } as const;
  return choose ? (
    <button type="button" {...attributes} className={`${attributes.className} plain`} onClick={choose}>
      {shown}
    </button>
  ) : (
    <Link to="/c/$memberId" params={{ memberId }} {...attributes}>
      {shown}
    </Link>
  );
}

function said({ last, state }: Conversation): string {
  if (!last) return state === 'pending' ? 'Waiting for consent' : 'No texts yet';
  if (last.direction === 'in') return last.text ?? 'Sent a picture';
  if (last.kind === 'consent_request' || last.kind === 'reminder') return 'You asked for consent';
  return `You: ${last.text ?? ''}`;
}

function unsentChip({ state }: Attempt): StateWord {
  return { word: state === 'refused' ? 'Not sent' : 'May not have been sent', icon: 'alert-triangle', tone: 'bad' };
}

/** A text to somebody who has no conversation in the list, which would otherwise be out of sight. */
function Unsent({ attempt }: { attempt: Attempt }) {
  const { phone, message } = attempt;
  return (
    <Link to="/new" state={{ to: { phone, name: null, contactId: null } }} className="talk">
      <Face name={null} phone={phone} />
      <div className="grow">
        <div className="name">{phoneWords(phone)}</div>
        <div className="said cut">You: {message.text}</div>
        <Chip {...unsentChip(attempt)} />
      </div>
    </Link>
  );
}

/** What keeps a conversation from being an ordinary one. */
function chipOf({ state, isHeld, last, snoozedUntil }: Conversation, now: number, timeZone: string): StateWord | null {
  if (snoozedUntil && snoozedUntil > now)
    return { word: `Until ${whenTime(snoozedUntil, now, timeZone)}`, icon: 'clock-pause', tone: 'quiet' };
  if (isHeld) return possibleOptOut;
  if (state === 'opted_out') return consentWords.opted_out;
  if (state === 'pending') return consentWords.pending;
  if (last?.status === 'held') return { word: 'Held for review', icon: 'hand-stop', tone: 'warn' };
  if (last?.status === 'failed' || last?.status === 'undelivered')
    return { word: 'Not delivered', icon: 'alert-triangle', tone: 'bad' };
  if (last?.status === 'in_doubt') return { word: 'May not have arrived', icon: 'help-circle', tone: 'warn' };
  return null;
}

function Results({
  text,
  open,
  choose,
}: {
  text: string;
  open: number | undefined;
  choose(memberId: number, at?: string | null): void;
}) {
  const { data, error, refetch } = useQuery(searchQuery(text));
  const { timeZone } = useAdvisor();
  const navigate = useNavigate();
  const now = useNow();
  if (error && !data) return <Broken error={error} retry={() => void refetch()} />;
  if (!data) return <Loading />;
  if (data.people.length + data.texts.length === 0)
    return (
      <StateScreen icon="search" title="Nothing found">
        No person and no text has “{text}”. Names, numbers and words are searched from their beginning.
      </StateScreen>
    );
  const openPerson = async ({ phone, name, contactId }: (typeof data.people)[number]) => {
    if (!phone) return;
    const known = await findByPhone(phone).catch(() => null);
    if (known) choose(known.memberId);
    else void navigate({ to: '/new', state: { to: { phone, name, contactId } } });
  };
  return (
    <div className="list-scroll found">
      {data.people.length > 0 && <h2 className="eyebrow">People</h2>}
      {data.people.map((person) => (
        <button
          type="button"
          className="talk plain"
          key={person.contactId}
          onClick={() => void openPerson(person)}
          disabled={!person.phone}
        >
          <Face name={person.name} phone={person.phone ?? ''} />
          <span className="grow">
            <span className="name cut">{person.name}</span>
            <span className="said number row wrap">
              {person.phone ? phoneWords(person.phone) : 'No phone number'}
              {person.phone && <Chip {...consentOf(person)} />}
            </span>
          </span>
        </button>
      ))}
      {data.texts.length > 0 && <h2 className="eyebrow">Texts</h2>}
      {data.texts.map((each) => (
        <button
          type="button"
          className="talk plain"
          key={each.itemId ?? `${each.memberId}-${each.dateTime}`}
          aria-current={each.memberId === open ? 'page' : undefined}
          onClick={() => choose(each.memberId, each.itemId)}
        >
          <span className="grow">
            <span className="row">
              <span className="name cut grow">{each.name ?? phoneWords(each.phone)}</span>
              <span className="faint small">{shortTime(each.dateTime, now, timeZone)}</span>
            </span>
            <span className="said">
              {each.direction === 'out' && 'You: '}
              <Marked text={each.text} words={text.split(/\s+/)} />
            </span>
          </span>
        </button>
      ))}
    </div>
  );
}

/** The text around the first word that was found, with the words marked. */
function Marked({ text, words }: { text: string; words: string[] }) {
  const pattern = new RegExp(
    `(${words.map((word) => RegExp.escape?.(word) ?? word.replace(/\W/g, '\\$&')).join('|')})`,
    'gi',
  );
  const at = Math.max(0, text.search(pattern) - 40);
  const part = `${at > 0 ? '…' : ''}${text.slice(at, at + 140)}`;
  // biome-ignore lint/suspicious/noArrayIndexKey: the pieces of a text have no other name
  return part.split(pattern).map((piece, index) => (index % 2 ? <mark key={index}>{piece}</mark> : piece));
}

function Loading() {
  return (
    <div className="list-scroll" aria-busy="true" role="status" aria-label="Loading conversations">
      {[150, 120, 170, 130, 160].map((width) => (
        <div className="talk" key={width}>
          <div className="face skeleton" />
          <div className="grow">
            <div className="skeleton" style={{ width, height: 14, margin: '3px 0 8px' }} />
            <div className="skeleton" style={{ width: width + 60, height: 12 }} />
          </div>
        </div>
      ))}
    </div>
  );
}

function Empty({ view }: { view: View }) {
  if (view === 'inbox')
    return (
      <StateScreen icon="inbox" title="All caught up">
        Replies and texts that you send appear here. Press <kbd>C</kbd> to write one.
      </StateScreen>
    );
  if (view === 'unread')
    return (
      <StateScreen icon="checks" title="Nothing unread">
        You have read every reply.
      </StateScreen>
    );
  return (
    <StateScreen
      icon={view === 'done' ? 'archive' : 'clock-pause'}
      title={view === 'done' ? 'Nothing done yet' : 'Nothing snoozed'}
    >
      {view === 'done'
        ? 'Conversations that you mark as done with E come here. The next reply brings them back.'
        : 'A snoozed conversation leaves the inbox until its time, or until the person writes.'}
    </StateScreen>
  );
}
