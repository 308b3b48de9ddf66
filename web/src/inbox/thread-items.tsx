import { memo, useEffect, useState } from 'react';
import { now as presentTime } from '../api/clock.ts';
import type { ConsentItem, Item, ReplyItem, ScheduledItem, TextItem } from '../api/types.ts';
import { Icon } from '../look/icons.tsx';
import { Media } from '../look/media.tsx';
import { Time } from '../look/parts.tsx';
import { isWaiting, lifeMoments, lifeWords, wentAt } from '../words/lives.ts';
import { count, firstName, phoneWords } from '../words/people.ts';
import { frequencyWords } from '../words/schedules.ts';
import { consentEvent, doubtAdvice, failureAdvice, heldAdvice, kindWords, statusWords } from '../words/states.ts';
import { clockTime, whenTime } from '../words/times.ts';
import { type Attempt, canRepeat, drop } from './outbox.ts';
import { newAttempt, retry } from './sending.ts';

export type Context = {
  memberId: number;
  phone: string;
  name: string | null;
  advisor: string;
  timeZone: string;
  now: number;
  showEvidence(itemId: string): void;
  edit(item: ScheduledItem): void;
  cancel(item: ScheduledItem): void;
};

export const ThreadItem = memo(function ThreadItem({ item, context }: { item: Item; context: Context }) {
  if (item.type === 'text') return <Text item={item} context={context} />;
  if (item.type === 'reply') return <Reply item={item} context={context} />;
  if (item.type === 'consent') return <Consent item={item} context={context} />;
  return <Scheduled item={item} context={context} />;
});

const lateMs = 10_000;

function Text({ item, context: { timeZone, now, phone, advisor } }: { item: TextItem; context: Context }) {
  const { status, kind, text, heldReason, failureCode, dateTime, segments, application, actor } = item;
  const said = statusWords[status];
  const isLate = useIsLate(item);
  const advice = status === 'in_doubt' ? doubtAdvice : failureCode ? failureAdvice[failureCode] : null;
  const words = [
    kindWords[kind],
    actor === 'application' && application && `by ${application}`,
    lifeWords(item, said.word, { now, timeZone }),
    segments > 1 && count(segments, 'text'),
  ].filter(Boolean);
  return (
    <div className="item" id={item.id}>
      <div className={`say out ${isWaiting(item) ? 'wait' : ''} ${text === null ? 'gone' : ''}`} data-by={advisor}>
        {text ?? 'This text is no longer kept.'}
      </div>
      <div className={`said-state ${said.tone}`}>
        <Icon
          name={
            kind === 'consent_request' || kind === 'reminder'
              ? 'send'
              : kind === 'confirmation' || kind === 'help'
                ? 'robot'
                : said.icon
          }
          size={14}
        />
        <Time at={wentAt(item) ?? dateTime} title={lifeMoments(item, timeZone)}>
          {words.join(' · ')}
        </Time>
        {isLate && <span className="advice">The carrier hasn’t taken it yet. It goes out as soon as it does.</span>}
        {heldReason && <span className="advice">{heldAdvice[heldReason]}</span>}
        {advice && (
          <span className="advice">
            {advice.what} {advice.next}
          </span>
        )}
        {advice?.again && text && (
          <button
            type="button"
            className="link"
            onClick={() =>
              void retry(
                newAttempt(phone, {
                  text,
                  phone,
                  whenConsented: failureCode === 'consent_pending' || failureCode === 'consent_lapsed',
                }),
              )
            }
          >
            Send again
          </button>
        )}
      </div>
    </div>
  );
}

/** Whether the carrier takes longer than it ever should, so that somebody may wonder. */
function useIsLate({ status, dateTime }: TextItem): boolean {
  const [isLate, setLate] = useState(false);
  useEffect(() => {
    if (status !== 'queued') return;
    const timer = setTimeout(() => setLate(true), dateTime + lateMs - presentTime());
    return () => clearTimeout(timer);
  }, [status, dateTime]);
  return isLate && status === 'queued';
}

function Reply({
  item: { id, text, media, isPossibleOptOut, dateTime },
  context: { timeZone, name, phone },
}: {
  item: ReplyItem;
  context: Context;
}) {
  const by = name ?? phoneWords(phone);
  return (
    <div className="item" id={id}>
      {media.map((each) => (
        <Media key={each.url} {...each} />
      ))}
      {text !== null && text !== '' && (
        <div className="say in" data-by={by}>
          {text}
        </div>
      )}
      {text === null && media.length === 0 && (
        <div className="say in gone" data-by={by}>
          This text is no longer kept.
        </div>
      )}
      <div className={`said-state left ${isPossibleOptOut ? 'bad' : ''}`}>
        <Time at={dateTime} zone={timeZone}>
          {clockTime(dateTime, timeZone)}
        </Time>
        {isPossibleOptOut && (
          <span>
            <Icon name="hand-stop" size={14} /> May mean stop: your texts wait until your firm has decided
          </span>
        )}
      </div>
    </div>
  );
}

function Consent({ item, context: { name, timeZone, showEvidence } }: { item: ConsentItem; context: Context }) {
  const { word, icon, tone } = consentEvent(firstName(name), item.state, item.previousState, item.reason);
  return (
    <div className={`note ${tone}`}>
      <Icon name={icon} size={15} />
      <span>{word}</span>
      <Time at={item.dateTime} zone={timeZone}>
        {clockTime(item.dateTime, timeZone)}
      </Time>
      <button type="button" className="link" onClick={() => showEvidence(item.id)}>
        Evidence
      </button>
    </div>
  );
}

function Scheduled({
  item,
  context: { timeZone, now, advisor, edit, cancel },
}: {
  item: ScheduledItem;
  context: Context;
}) {
  const next = item.nextDeliveryDates[0] ?? item.dateTime;
  return (
    <div className="item">
      <div className="say out wait" data-by={advisor}>
        {item.text}
      </div>
      <div className="said-state">
        <Icon name={item.frequency ? 'repeat' : 'clock'} size={14} />
        <Time at={next} zone={timeZone}>
          {item.frequency ? `${frequencyWords[item.frequency]} · next ` : 'Goes out '}
          {whenTime(next, now, timeZone)}
        </Time>
        <span className="acts">
          <button type="button" className="link" onClick={() => edit(item)}>
            Edit
          </button>{' '}
          ·{' '}
          <button type="button" className="link" onClick={() => cancel(item)}>
            Cancel
          </button>
        </span>
      </div>
    </div>
  );
}

/** A text on its way to the server, or one that got no answer. */
export function Sending({ made, sent }: { made: Attempt; sent?(memberId: number): void }) {
  const again = async () => {
    const outcome = await retry(made);
    if ('memberId' in outcome) sent?.(outcome.memberId);
  };
  return (
    <div className="item">
      <div className={`say out ${made.state === 'sending' ? '' : 'wait'}`}>{made.message.text}</div>
      {made.state === 'sending' ? (
        <div className="said-state">
          <Icon name="clock" size={14} />
          Sending
        </div>
      ) : (
        <div className="said-state bad" role="alert">
          <Icon name="alert-triangle" size={14} />
          <span className="why">
            {made.state === 'refused' ? `Not sent. ${made.why}` : 'No answer from the server.'}
            {made.state === 'unanswered' && !canRepeat(made) && ' If it isn’t above, it wasn’t sent.'}
          </span>
          <span className="acts">
            {made.state === 'unanswered' && canRepeat(made) && (
              <>
                <button type="button" className="link" title="Can’t text them twice" onClick={() => void again()}>
                  Try again
                </button>{' '}
                ·{' '}
              </>
            )}
            <button type="button" className="link" onClick={() => drop(made.key)}>
              Remove
            </button>
          </span>
        </div>
      )}
    </div>
  );
}
