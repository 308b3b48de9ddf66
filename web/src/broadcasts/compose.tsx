import { textLengthMax } from '../../../server/src/domain/shared/text/text-rules.ts';
import './broadcasts.css';
import { useDebouncedValue } from '@mantine/hooks';
import { useInfiniteQuery, useQuery } from '@tanstack/react-query';
import { Link, useNavigate, useParams } from '@tanstack/react-router';
import { lazy, Suspense, useEffect, useRef, useState } from 'react';
import { useNow } from '../api/clock.ts';
import { client, groupsQuery } from '../api/queries.ts';
import { useAdvisor } from '../api/session.ts';
import { quarterMs, Tool, typingMs } from '../inbox/composer.tsx';
import { useDraft } from '../inbox/drafts.ts';
import { canRepeat } from '../inbox/outbox.ts';
import { useSigned } from '../inbox/signed.ts';
import { ahead } from '../look/ahead.ts';
import { Button } from '../look/button.tsx';
import { insertAtCaret, replaceText } from '../look/caret.ts';
import { Icon } from '../look/icons.tsx';
import { Broken, Chip, Face, Loading, StateScreen } from '../look/parts.tsx';
import { type FieldName, fieldWords } from '../saved-replies/fields.tsx';
import { modKey } from '../shell/keys.ts';
import { toast } from '../shell/toasts.tsx';
import { countText } from '../words/encoding.ts';
import { count, phoneWords } from '../words/people.ts';
import { whenTime } from '../words/times.ts';
import { checkQuery, type GroupCheck, type PersonalPreview, previewQuery } from './queries.ts';
import { forget, newStart, type Start, start, unanswered } from './starting.ts';
import { codeWords, pieces, previewAdvice, previewSaid, sendWords } from './words.ts';

const AskDialog = lazy(ahead(() => import('./ask-dialog.tsx')));
const LibraryPicker = lazy(ahead(() => import('../inbox/library-picker.tsx')));
const SavedReplyPicker = lazy(ahead(() => import('../saved-replies/saved-reply-picker.tsx')));

const quotedMax = 60;

/** A text to everybody in a group: what each of them would get is seen before it is sent. */
export function ComposeBroadcast() {
  const { groupId } = useParams({ from: '/broadcasts/to/$groupId' });
  const { data: groups, error } = useQuery(groupsQuery);
  const group = groups?.data.find((each) => each.groupId === groupId);
  if (error && !groups) return <Broken error={error} />;
  if (groups && !group)
    return (
      <StateScreen
        icon="tag"
        title="There is no such group"
        isPage
        action={
          <Link to="/contacts" className="button">
            Go to the contacts
          </Link>
        }
      >
        It may have been deleted.
      </StateScreen>
    );
  return (
    <div className="page broadcast">
      <header className="page-head">
        <Link to="/contacts" search={{ groupId }} className="button quiet square" aria-label="Back to the contacts">
          <Icon name="chevron-left" />
        </Link>
        <h1 className="cut">{group ? `Text ${group.name}` : 'Text a group'}</h1>
        {group && <span className="soft number words">{count(group.contactCount, 'person', 'people')}</span>}
        <Link to="/broadcasts" className="button small end">
          Earlier
        </Link>
      </header>
      {group?.contactCount === 0 ? (
        <StateScreen icon="users" title="Nobody is in this group yet">
          Put people into it from their contact, then come back.
        </StateScreen>
      ) : (
        <Desk key={groupId} groupId={groupId} />
      )}
    </div>
  );
}

function Desk({ groupId }: { groupId: number }) {
  const [text, write] = useDraft(`group-${groupId}`);
  const [asked] = useDebouncedValue(text, typingMs);
  const quarter = Math.floor(useNow() / quarterMs);
  const written = { groupId, text: asked };
  const enabled = asked.trim() !== '' && [...asked].length <= textLengthMax;
  const check = useQuery({ ...checkQuery(written, quarter), enabled });
  const people = useInfiniteQuery({ ...previewQuery(written, quarter), enabled });
  const isFresh = enabled && asked === text && check.data !== undefined && !check.isPlaceholderData;
  return (
    <div className="broadcast-desk">
      <Writing groupId={groupId} text={text} write={write} check={enabled ? check.data : undefined} isFresh={isFresh} />
      {check.error && !check.data ? (
        <Broken error={check.error} retry={() => void check.refetch()} />
      ) : enabled ? (
        <Preview
          check={check.data}
          people={people.data?.pages.flatMap(({ data }) => data)}
          {...(people.hasNextPage && { more: () => void people.fetchNextPage() })}
        />
      ) : (
        <StateScreen icon="users" title="Each person gets their own text">
          Write it on this page. Here you see what each of them will read, and who can’t get it, before anything is
          sent.
        </StateScreen>
      )}
    </div>
  );
}

type WritingProps = {
  groupId: number;
  text: string;
  write(text: string): void;
  check: GroupCheck | undefined;
  isFresh: boolean;
};

function Writing({ groupId, text, write, check, isFresh }: WritingProps) {
  const { firmName, timeZone } = useAdvisor();
  const now = useNow();
  const navigate = useNavigate();
  const field = useRef<HTMLTextAreaElement>(null);
  useEffect(() => field.current?.focus(), []);
  const [lost, setLost] = useState(() => unanswered(groupId));
  const [refused, setRefused] = useState<string | null>(null);
  const [isStarting, setStarting] = useState(false);
  const isTooLong = [...text].length > textLengthMax;
  const { shown, edit, clear, toStart } = useSigned(text, write, field);
  const { plainer, special } = countText(text);
  const able = check ? check.now + check.later + check.held : 0;
  const canSend = isFresh && able > 0 && !isTooLong && !isStarting && !lost;

  const latest = useRef(text);
  latest.current = text;
  const begin = async (made: Start) => {
    setStarting(true);
    setRefused(null);
    const outcome = await start(made);
    setStarting(false);
    setLost('unanswered' in outcome ? made : null);
    if ('refused' in outcome) {
      setRefused(outcome.refused);
      await client.invalidateQueries({ queryKey: ['broadcast-check'] });
    } else if ('broadcastId' in outcome) {
      // Something else may be written by now.
      if (latest.current === made.text) clear();
      void client.invalidateQueries({ queryKey: ['broadcasts'] });
      // Somebody who went elsewhere stays there.
      if (field.current) void navigate({ to: '/broadcasts/$broadcastId', params: outcome, replace: true });
      else toast('Your text to the group is on its way.');
    }
  };
  /** To where it stands if it went out. It isn't left in the field, from where it could go out a second time. */
  const leave = (made: Start) => {
    forget(groupId);
    if (text === made.text) clear();
    void navigate({ to: '/broadcasts' });
  };
  const submit = () => {
    // Another tab may have one without an answer.
    const earlier = unanswered(groupId);
    if (earlier) setLost(earlier);
    else if (canSend && check) void begin(newStart({ groupId, text, version: check.version }));
  };
  const insert = (piece: string) => insertAtCaret(field.current, shown, piece, edit);
  const rewrite = (next: string) => replaceText(field.current, next, edit);
  const focus = () => field.current?.focus();
  const pick = (close: () => void) => (piece: string) => {
    insert(piece);
    close();
  };
  return (
    <form
      className="broadcast-writing"
      aria-label="Write a text to the group"
      onSubmit={(event) => {
        event.preventDefault();
        // A form in a popover is above this one for React.
        if (event.target === event.currentTarget) submit();
      }}
    >
      <div className="box">
        <textarea
          ref={field}
          aria-label="Your text to the group"
          placeholder="Hi {firstName|there}, …"
          rows={5}
          value={shown}
          onClick={toStart}
          onChange={({ target }) => {
            setRefused(null);
            edit(target.value);
          }}
          onKeyDown={(event) => {
            if (event.key !== 'Enter' || !(event.metaKey || event.ctrlKey)) return;
            event.preventDefault();
            submit();
          }}
        />
        <div className="tools">
          <Tool icon="tag" name="Name" closed={focus}>
            {(close) => (
              <ul className="field-choice">
                {Object.entries(fieldWords).map(([name, word]) => (
                  <li key={name}>
                    <button type="button" onClick={() => pick(close)(pieces[name as FieldName])}>
                      {word}
                      <code>{pieces[name as FieldName]}</code>
                    </button>
                  </li>
                ))}
              </ul>
            )}
          </Tool>
          <Tool icon="books" name="Library" closed={focus}>
            {(close) => <LibraryPicker choose={pick(close)} />}
          </Tool>
          <Tool icon="bookmark" name="Replies" closed={focus}>
            {(close) => (
              <SavedReplyPicker
                fill={(each) => each}
                choose={(reply) => pick(close)(reply.text)}
                save={null}
                slash={close}
              />
            )}
          </Tool>
          <span className="count number">
            {isTooLong ? (
              <span className="tone bad">{count([...text].length - textLengthMax, 'character')} too long</span>
            ) : (
              check && `${check.segments > 1 ? 'up to ' : ''}${count(check.segments, 'text')} each`
            )}
            {check && plainer && (
              <>
                {' · '}
                <button
                  type="button"
                  className="link"
                  title={`${special.map(({ name }) => name).join(', ')}: characters that make a text longer`}
                  onClick={() => rewrite(plainer.text)}
                >
                  plain characters: {plainer.segments}
                </button>
              </>
            )}
          </span>
        </div>
      </div>
      <button type="submit" className="button main" disabled={!canSend}>
        {sendWords(check, now, timeZone)}
        <Icon name="send" />
      </button>
      <div aria-live="polite" className="broadcast-says">
        {lost && (
          <div className="hint warn">
            <Icon name="alert-triangle" />
            <span className="grow">
              <b>No answer from the server.</b> Nobody knows yet whether this went out: “{beginningOf(lost.text)}”
            </span>
            {canRepeat(lost) && (
              <button
                type="button"
                className="link"
                title="Nobody gets it twice"
                onClick={() => void begin(lost)}
                disabled={isStarting}
              >
                Send it again
              </button>
            )}
            <button
              type="button"
              className="link"
              title="And see whether it went out"
              onClick={() => leave(lost)}
              disabled={isStarting}
            >
              Leave it
            </button>
          </div>
        )}
        {refused && (
          <div className="hint bad" role="alert">
            <Icon name="alert-triangle" />
            <span className="grow">
              <b>Not sent.</b> {refused}
            </span>
          </div>
        )}
        {check && <Totals check={check} text={text} write={rewrite} />}
        {check && <ConsentFix check={check} groupId={groupId} />}
      </div>
      <div className="foot">
        <span className="desk">
          <kbd>{modKey} ↵</kbd> send
        </span>
        <span className="end row">
          <Icon name="lock" size={15} />
          Each is archived for {firmName}
        </span>
      </div>
    </form>
  );
}

function beginningOf(text: string): string {
  const letters = [...text];
  return letters.length > quotedMax ? `${letters.slice(0, quotedMax).join('')} …` : text;
}

/** How many get it when, and how many don't and why. */
function Totals({ check, text, write }: { check: GroupCheck; text: string; write(text: string): void }) {
  const { timeZone } = useAdvisor();
  const now = useNow();
  // No word stands for a last name.
  const bare = /\{(firstName|nickname)\}/g;
  const isMissing = check.refusals.some(({ code }) => code === 'missing_field') && bare.test(text);
  return (
    <>
      <ul className="broadcast-totals">
        {check.now > 0 && (
          <li>
            <Icon name="send" size={16} />
            {count(check.now, 'person gets', 'people get')} it now
          </li>
        )}
        {check.later > 0 && check.earliest && (
          <li>
            <Icon name="moon" size={16} />
            {count(check.later, 'person gets', 'people get')} it from {whenTime(check.earliest, now, timeZone)}, when it
            is day where they are
          </li>
        )}
        {check.held > 0 && (
          <li>
            <Icon name="hand-stop" size={16} />
            {count(check.held, 'text waits', 'texts wait')} for your firm’s decision
          </li>
        )}
        {check.refusals.length > 0 && (
          <li className="tone bad">
            <Icon name="ban" size={16} />
            <span>
              {count(
                check.refusals.reduce((sum, { people }) => sum + people, 0),
                'person doesn’t',
                'people don’t',
              )}{' '}
              get it:{' '}
              {check.refusals
                .map(({ code, people }) => `${codeWords[code].toLowerCase()} (${people.toLocaleString('en-US')})`)
                .join(', ')}
            </span>
          </li>
        )}
      </ul>
      {isMissing && (
        <div className="hint">
          <Icon name="tag" />
          <span className="grow">A field can have a word for people whose name isn’t known.</span>
          <button type="button" className="link" onClick={() => write(text.replace(bare, '{$1|there}'))}>
            Use “there”
          </button>
        </div>
      )}
    </>
  );
}

/** Those who haven't agreed. Their answers change what the button above says. */
function ConsentFix({ check, groupId }: { check: GroupCheck; groupId: number }) {
  const { consentCollection } = useAdvisor();
  const [isAsking, ask] = useState(false);
  const people = check.refusals.find(({ code }) => code === 'not_consented')?.people ?? 0;
  return (
    <>
      {people > 0 && consentCollection && (
        <div className="hint">
          <Icon name="hourglass" />
          <span className="grow">{count(people, 'person hasn’t', 'people haven’t')} agreed to texts yet.</span>
          <button type="button" className="link" onClick={() => ask(true)}>
            Ask for consent
          </button>
        </div>
      )}
      <Suspense>{isAsking && <AskDialog whom={{ groupId }} close={() => ask(false)} />}</Suspense>
    </>
  );
}

type PreviewProps = { check: GroupCheck | undefined; people: PersonalPreview[] | undefined; more?(): void };

function Preview({ check, people, more }: PreviewProps) {
  const [onlyRefused, showRefused] = useState(false);
  const refused = check?.refusals.reduce((sum, each) => sum + each.people, 0) ?? 0;
  const isFiltered = onlyRefused && refused > 0;
  const rows = isFiltered ? check?.refused : people;
  return (
    <section className="broadcast-people" aria-label="What each person gets">
      <fieldset className="tabs" aria-label="Whose text">
        <button type="button" aria-pressed={!isFiltered} onClick={() => showRefused(false)}>
          Everybody {check && <span className="number">{check.people.toLocaleString('en-US')}</span>}
        </button>
        {refused > 0 && (
          <button type="button" aria-pressed={isFiltered} onClick={() => showRefused(true)}>
            Don’t get it <span className="number">{refused.toLocaleString('en-US')}</span>
          </button>
        )}
      </fieldset>
      {rows ? (
        <ul>
          {rows.map((each) => (
            <PersonRow key={each.contactId} person={each} />
          ))}
        </ul>
      ) : (
        <Loading height={64} bars={3} />
      )}
      {isFiltered && refused > (rows?.length ?? 0) && (
        <p className="small soft">And {count(refused - (rows?.length ?? 0), 'other')}.</p>
      )}
      {!isFiltered && more && <Button onClick={more}>Show more</Button>}
    </section>
  );
}

function PersonRow({ person }: { person: PersonalPreview }) {
  const { timeZone } = useAdvisor();
  const now = useNow();
  const { name, phone, text, segments, status } = person;
  const advice = previewAdvice(person);
  return (
    <li className="broadcast-person">
      <Face name={name} phone={phone ?? ''} />
      <div className="grow">
        <div className="row wrap">
          <b className="cut">{name ?? (phone ? phoneWords(phone) : 'Unnamed')}</b>
          <Chip {...previewSaid(person, now, timeZone)} />
          {segments > 1 && status && <span className="small soft">{count(segments, 'text')}</span>}
        </div>
        <p className={`broadcast-text ${status ? '' : 'off'}`}>{text}</p>
        {advice && <p className="small soft">{advice}</p>}
      </div>
    </li>
  );
}
