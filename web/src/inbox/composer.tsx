import { Popover } from '@mantine/core';
import { useDebouncedValue } from '@mantine/hooks';
import { useQuery } from '@tanstack/react-query';
import { useLocation } from '@tanstack/react-router';
import { type KeyboardEvent, lazy, type ReactNode, Suspense, useEffect, useRef, useState } from 'react';
import { flushSync } from 'react-dom';
import { textLengthMax } from '../../../server/src/domain/shared/text/text-rules.ts';
import { useNow } from '../api/clock.ts';
import { checkQuery } from '../api/queries.ts';
import { useAdvisor } from '../api/session.ts';
import type { MessageRequest, SavedReply } from '../api/types.ts';
import { ahead } from '../look/ahead.ts';
import { insertAtCaret, replaceText } from '../look/caret.ts';
import { Icon, type IconName } from '../look/icons.tsx';
import { FieldsHint, useFill } from '../saved-replies/fields.tsx';
import { modKey, useKeys } from '../shell/keys.ts';
import { toast } from '../shell/toasts.tsx';
import { countText } from '../words/encoding.ts';
import { count, firstName, phoneWords } from '../words/people.ts';
import { frequencyWords } from '../words/schedules.ts';
import { whenTime } from '../words/times.ts';
import { useDraft } from './drafts.ts';
import { type Attempt, keep, newKey } from './outbox.ts';
import type { Schedule } from './schedule-fields.tsx';
import { previewOf, type Recipient, type SendPreview } from './send-preview.ts';
import { newAttempt, requestConsent, type SendResult, send } from './sending.ts';
import { useSigned } from './signed.ts';

const LibraryPicker = lazy(ahead(() => import('./library-picker.tsx')));
const SavedReplyEditor = lazy(ahead(() => import('../saved-replies/saved-reply-editor.tsx')));
const SavedReplyPicker = lazy(ahead(() => import('../saved-replies/saved-reply-picker.tsx')));
const ScheduleFields = lazy(ahead(() => import('./schedule-fields.tsx')));
export const typingMs = 350;
export const quarterMs = 15 * 60_000;

type Props = { memberId: number | null; to: Recipient; draft: string | null; sent?(memberId: number): void };

/** Says what will happen before it happens: on the button, and in a line above the text when that is unusual. */
export function Composer({ memberId, to, draft, sent }: Props) {
  const advisor = useAdvisor();
  const now = useNow();
  const [text, write] = useDraft(memberId ?? to.phone, draft);
  const [schedule, setSchedule] = useState<Schedule | null>(null);
  const [refused, setRefused] = useState<string | null>(null);
  const field = useRef<HTMLTextAreaElement>(null);
  const { shown, edit, clear, unsigned, toStart } = useSigned(text, write, field);
  const message = messageOf(to.phone, text, schedule);
  const check = useCheck(message, to, now);
  const preview = previewOf({ to, advisor, check, scheduledFor: schedule?.at ?? null, now });
  const counted = countText(text);
  const isTooLong = [...text].length > textLengthMax;
  const fill = useFill(to);
  const filled = fill(text);
  const hasFields = filled.missing.length > 0 || filled.text !== text;
  const [areRepliesOpen, openReplies] = useState(false);
  /** What is typed behind the slash before the search is there to take it. */
  const [begun, begin] = useState('');
  const [isSaving, setSaving] = useState(false);
  const canSend = text.trim() !== '' && preview.can && !isTooLong && !hasFields;
  useKeys({ r: () => focus() });
  const isWriting = useLocation({ select: ({ state }) => state.isWriting }) || memberId === null;
  // biome-ignore lint/correctness/useExhaustiveDependencies: when it is opened.
  useEffect(() => {
    if (isWriting) focus();
  }, []);

  const latest = useRef(text);
  latest.current = text;
  const settle = (outcome: SendResult, made: Attempt) => {
    const isHere = field.current !== null;
    if ('memberId' in outcome) {
      if (schedule) toast(`Scheduled for ${whenTime(schedule.at, now, advisor.timeZone)}.`);
      setSchedule(null);
      sent?.(outcome.memberId);
    } else if ('refused' in outcome && isHere && latest.current === '') {
      setRefused(outcome.refused);
      write(made.message.text);
    } else {
      // Something else is written by now, or another conversation is open: it stays in the thread.
      if ('refused' in outcome) keep({ ...made, state: 'refused', why: outcome.refused });
      const whom = to.name ?? phoneWords(to.phone);
      if (!isHere)
        toast(
          'refused' in outcome
            ? `Your text to ${whom} wasn’t sent. ${outcome.refused}`
            : `No answer from the server to your text to ${whom}. You can try again in the conversation.`,
        );
    }
  };
  const submit = async () => {
    if (!canSend) return;
    setRefused(null);
    clear();
    field.current?.focus();
    const made = newAttempt(to.phone, preview.whenConsented ? { ...message, whenConsented: true } : message);
    settle(await send(made), made);
  };
  const settleRequest = (outcome: SendResult) => {
    if ('refused' in outcome) setRefused(outcome.refused);
    else if ('memberId' in outcome) sent?.(outcome.memberId);
  };
  const insert = (piece: string) => {
    const before = shown[(field.current?.selectionStart ?? 0) - 1] ?? ' ';
    const gap = /\S/.test(before) && piece.startsWith('http') ? ' ' : '';
    insertAtCaret(field.current, shown, gap + piece, edit);
  };
  const rewrite = (next: string) => replaceText(field.current, next, edit);
  const select = (piece: string) => {
    const at = field.current?.value.indexOf(piece) ?? -1;
    focus();
    if (at >= 0) field.current?.setSelectionRange(at, at + piece.length);
  };
  const insertReply = (reply: SavedReply) => {
    const { text, missing } = fill(reply.text);
    insert(text);
    // What is selected is replaced by the next thing that is typed.
    const [unknown] = missing;
    if (unknown) select(`{${unknown}}`);
  };
  /** At once: the next key is for the search. */
  const searchReplies = () =>
    flushSync(() => {
      begin('');
      openReplies(true);
    });
  /** A slash at the beginning opens the saved replies, and what follows at once is searched for: none of it gets into the text. */
  const takeKey = ({ key, ctrlKey, metaKey, altKey }: KeyboardEvent): boolean => {
    if (key.length > 1 || ctrlKey || metaKey || altKey) return false;
    const isAtStart = field.current?.selectionStart === 0 && field.current.selectionEnd === 0;
    if (!areRepliesOpen && (key !== '/' || !isAtStart)) return false;
    if (!areRepliesOpen) searchReplies();
    else if (key !== '/' || begun) flushSync(() => begin(begun + key));
    else {
      flushSync(() => openReplies(false));
      insert('/');
    }
    return true;
  };
  const focus = () => field.current?.focus();
  /** Other choices give the focus to the text a frame later; by then, the dialog may have it. */
  const saveReply = () => {
    focus();
    openReplies(false);
    setSaving(true);
  };

  return (
    <form
      className="compose"
      aria-label="Write a text"
      onSubmit={(event) => {
        event.preventDefault();
        // A form in a popover is above this one for React.
        if (event.target === event.currentTarget) void submit();
      }}
    >
      <div aria-live="polite">
        {refused ? (
          <div className="hint bad" role="alert">
            <Icon name="alert-triangle" />
            <span className="grow">
              <b>Not sent.</b> {refused}
            </span>
          </div>
        ) : hasFields ? (
          <FieldsHint filled={filled} to={to} write={rewrite} select={select} />
        ) : (
          preview.hint && (
            <Hint
              hint={preview.hint}
              phone={to.phone}
              plan={(at) => setSchedule({ at, frequency: 0 })}
              asked={settleRequest}
            />
          )
        )}
      </div>
      <div className="box">
        <textarea
          ref={field}
          aria-label="Your text"
          placeholder={
            preview.can ? 'Write a text, or / for a saved reply' : 'What you write here is kept, but can’t be sent'
          }
          rows={2}
          value={shown}
          onClick={toStart}
          onChange={({ target }) => {
            setRefused(null);
            if (target.value === `/${shown}`) searchReplies();
            else edit(target.value);
          }}
          onKeyDown={(event) => {
            if (event.key === 'Enter' && (event.metaKey || event.ctrlKey)) {
              event.preventDefault();
              void submit();
            } else if (takeKey(event)) event.preventDefault();
            if (event.key === 'Escape') field.current?.blur();
          }}
        />
        <div className="tools">
          <Tool icon="books" name="Library" closed={focus}>
            {(close) => <LibraryPicker choose={then(close, insert)} />}
          </Tool>
          <Tool icon="bookmark" name="Replies" wordless opening={[areRepliesOpen, openReplies]} closed={focus}>
            {(close) => (
              <SavedReplyPicker
                fill={(each) => fill(each).text}
                choose={then(close, insertReply)}
                save={unsigned === '' ? null : saveReply}
                begun={begun}
                slash={() => then(close, insert)('/')}
              />
            )}
          </Tool>
          <Tool
            icon="calendar-clock"
            name={schedule ? (schedule.frequency ? frequencyWords[schedule.frequency] : 'Scheduled') : 'Schedule'}
            isOn={!!schedule}
            closed={focus}
          >
            {(close) => (
              <ScheduleFields
                given={schedule}
                choose={then(close, setSchedule)}
                {...(schedule && { clear: () => then(close, setSchedule)(null) })}
              />
            )}
          </Tool>
          <Counter counted={counted} isTooLong={isTooLong} text={text} write={rewrite} />
          <button type="submit" className="button main" disabled={!canSend}>
            {preview.button}
            <Icon name={schedule ? 'calendar-clock' : 'arrow-up'} />
          </button>
        </div>
      </div>
      <div className="foot">
        <span className="desk">
          <kbd>{modKey} ↵</kbd> send
        </span>
        <span className="desk">
          <kbd>J</kbd> <kbd>K</kbd> next, previous
        </span>
        <span className="desk">
          <kbd>?</kbd> all shortcuts
        </span>
        <span className="end row">
          <Icon name="lock" size={15} />
          Archived for {advisor.firmName}
        </span>
      </div>
      <Suspense>
        {isSaving && (
          <SavedReplyEditor
            given={{ text: unsigned }}
            writtenTo={to.name && firstName(to.name)}
            close={() => setSaving(false)}
          />
        )}
      </Suspense>
    </form>
  );
}

/** Something that is chosen in a popover closes it, first: the next key is for the text. */
function then<Chosen>(close: () => void, take: (chosen: Chosen) => void): (chosen: Chosen) => void {
  return (chosen) => {
    close();
    take(chosen);
  };
}

function messageOf(phone: string, text: string, schedule: Schedule | null): MessageRequest {
  if (!schedule) return { text, phone };
  return { text, phone, scheduleDelivery: true, deliveryDate: schedule.at, frequency: schedule.frequency };
}

/** Asked again when typing pauses, when their consent changes, and every quarter of an hour. */
function useCheck(message: MessageRequest, { state, isHeld }: Recipient, now: number) {
  const [text] = useDebouncedValue(message.text, typingMs);
  const version = `${state} ${isHeld} ${Math.floor(now / quarterMs)}`;
  const isEmpty = text.trim() === '' || message.text.trim() === '';
  const { data } = useQuery({
    ...checkQuery({ ...message, text }, version),
    enabled: !isEmpty && [...text].length <= textLengthMax,
  });
  return isEmpty || data?.phone !== message.phone ? null : (data ?? null);
}

function Hint({
  hint,
  phone,
  plan,
  asked,
}: {
  hint: NonNullable<SendPreview['hint']>;
  phone: string;
  plan(at: number): void;
  asked(outcome: SendResult): void;
}) {
  const { tone, icon, strong, rest, fix } = hint;
  const [isAsking, setAsking] = useState(false);
  const request = useRef({ key: newKey(), isFirstTry: true });
  const ask = async () => {
    setAsking(true);
    const outcome = await requestConsent(phone, request.current.key, request.current.isFirstTry);
    setAsking(false);
    if ('unanswered' in outcome) {
      request.current.isFirstTry = false;
      toast('No answer from the server. Press “Request consent” again: it can’t go out twice.');
    } else {
      request.current = { key: newKey(), isFirstTry: true };
      asked(outcome);
    }
  };
  return (
    <div className={`hint ${tone}`}>
      <Icon name={icon} />
      <span className="grow">
        <b>{strong}</b> {rest}
      </span>
      {fix === 'request_consent' && (
        <button type="button" className="link" onClick={() => void ask()} disabled={isAsking}>
          Request consent
        </button>
      )}
      {fix && fix !== 'request_consent' && (
        <button type="button" className="link" onClick={() => plan(fix.scheduleAt)}>
          {fix.label}
        </button>
      )}
    </div>
  );
}

/** A button below the text that opens something to choose from. When it closes, typing goes on. */
export function Tool({
  icon,
  name,
  wordless,
  isOn,
  opening,
  closed,
  children,
}: {
  icon: IconName;
  name: string;
  wordless?: boolean;
  isOn?: boolean;
  /** Where something else opens it, too. */
  opening?: [opened: boolean, setOpened: (open: boolean) => void];
  closed(): void;
  children(close: () => void): ReactNode;
}) {
  const own = useState(false);
  const [opened, setOpened] = opening ?? own;
  const change = (open: boolean) => {
    setOpened(open);
    if (open) return;
    // At once, for a key that follows; and again for a click beside it, which takes the focus away.
    closed();
    requestAnimationFrame(closed);
  };
  return (
    <Popover opened={opened} onChange={change} position="top-start" trapFocus>
      <Popover.Target>
        <button
          type="button"
          className={`button quiet small ${isOn ? 'on' : ''}`}
          aria-label={name}
          title={wordless ? name : undefined}
          onClick={() => change(!opened)}
        >
          <Icon name={icon} />
          {!wordless && <span className="words">{name}</span>}
        </button>
      </Popover.Target>
      <Popover.Dropdown>
        <Suspense fallback={<div className="skeleton" style={{ width: 240, height: 120 }} />}>
          {opened && children(() => change(false))}
        </Suspense>
      </Popover.Dropdown>
    </Popover>
  );
}

/** How many texts the network makes of it; and if one character makes it more, which one, and the plain one instead. */
function Counter({
  counted,
  isTooLong,
  text,
  write,
}: {
  counted: ReturnType<typeof countText>;
  isTooLong: boolean;
  text: string;
  write(text: string): void;
}) {
  const { used, room, segments, special, plainer } = counted;
  if (text === '') return <span className="count" />;
  if (isTooLong)
    return <span className="count tone bad">{count([...text].length - textLengthMax, 'character')} too long</span>;
  const [first] = special;
  return (
    <span className="count number">
      {used} of {room} · {count(segments, 'text')}
      {plainer && first && (
        <>
          {' · '}
          <button
            type="button"
            className="link"
            title={`${special.map(({ character, name }) => (character === name ? character : `${character} (${name})`)).join(', ')} makes this ${count(segments, 'text')}.`}
            onClick={() => write(plainer.text)}
          >
            plain {first.name === first.character ? 'characters' : `${first.name.replace('curly ', '')}s`}:{' '}
            {plainer.segments}
          </button>
        </>
      )}
      {!plainer &&
        segments > 1 &&
        first &&
        ` · ${first.character.trim() ? `${first.character} makes it longer` : `a ${first.name} makes it longer`}`}
    </span>
  );
}
