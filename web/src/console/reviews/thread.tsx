import { Fragment, type ReactNode } from 'react';
import { useNow } from '../../api/clock.ts';
import { Icon } from '../../look/icons.tsx';
import { Media } from '../../look/media.tsx';
import { Time } from '../../look/parts.tsx';
import { inOrder, isWaiting, type Life, lifeMoments, lifeWords, wentAt } from '../../words/lives.ts';
import { firstName } from '../../words/people.ts';
import { consentEvent, failureAdvice, kindWords, statusWords } from '../../words/states.ts';
import { clockTime, dayKey, dayName } from '../../words/times.ts';
import { useShownText } from '../shown-text.tsx';
import { refresh } from './deciding.ts';
import type { Item, KeptMedia, Mark, ReviewDetail } from './queries.ts';

/** What was said around the text, which is outlined, with what was found in it. */
export function Thread({ review }: { review: ReviewDetail }) {
  const now = useNow();
  const { thread, archiveNumber, dateTime } = review;
  const { text, button } = useShownText(`/reviews/${review.reviewId}/text`, review, () => void refresh());
  const items = inOrder(
    thread?.data ?? [],
    (item) => (item.type === 'text' ? lifeOf(item) : null),
    (item) => Date.parse(item.dateTime),
  );
  const isThere = items.some((item) => item.archiveNumber === archiveNumber);
  let day = '';
  return (
    <div className="review-flow">
      {thread?.hasEarlier && <p className="day">Earlier texts are in the archive</p>}
      {items.map((item) => {
        const at = standsAt(item, now);
        const isNewDay = day !== dayKey(at);
        day = dayKey(at);
        return (
          <Fragment key={item.id}>
            {isNewDay && <p className="day">{dayName(at, now)}</p>}
            <ThreadItem item={item} review={review} text={text} now={now} />
            {item.archiveNumber === archiveNumber && button}
          </Fragment>
        );
      })}
      {!isThere && (
        <div className="item reviewed" data-entry={archiveNumber}>
          {day !== dayKey(Date.parse(dateTime)) && <p className="day">{dayName(Date.parse(dateTime), now)}</p>}
          <div className={`say ${review.kind === 'blocked' ? 'out wait' : 'in'}`}>
            <Marked text={text} marks={review.marks} />
          </div>
          {review.media.map(({ place, contentType, size, state }) => (
            <Attachment
              key={place}
              reviewId={review.reviewId}
              replyNumber={archiveNumber}
              place={place}
              contentType={contentType}
              size={state === 'kept' ? (size ?? 0) : 0}
              isPending={state === 'waiting'}
            />
          ))}
          <div className={`said-state ${review.kind === 'blocked' ? 'bad' : 'left'}`}>
            {review.kind === 'blocked' && (
              <>
                <Icon name="ban" size={14} /> Blocked: nobody got it ·{' '}
              </>
            )}
            <Time at={Date.parse(dateTime)}>{clockTime(Date.parse(dateTime))}</Time>
          </div>
          {button}
        </div>
      )}
      {thread?.hasLater && <p className="day">Later texts are in the archive</p>}
    </div>
  );
}

function lifeOf({ status, waitedFor, ...times }: Extract<Item, { type: 'text' }>): Life {
  const at = (time: string | null) => (time === null ? null : Date.parse(time));
  const { dateTime, handedOver, ended, deliverAfter } = times;
  const known = { handedOver: at(handedOver), ended: at(ended), deliverAfter: at(deliverAfter) };
  return { status, waitedFor, dateTime: Date.parse(dateTime), ...known };
}

function standsAt(item: Item, now: number): number {
  return item.type === 'text' ? (wentAt(lifeOf(item)) ?? now) : Date.parse(item.dateTime);
}

/** `text` is that of the review. */
type ThreadItemProps = { item: Item; review: ReviewDetail; text: string | null; now: number };

function ThreadItem({ item, review, text, now }: ThreadItemProps) {
  const at = Date.parse(item.dateTime);
  const isReviewed = item.archiveNumber === review.archiveNumber;
  const marks = isReviewed ? review.marks : [];
  if (item.type === 'consent') {
    const { word, icon, tone } = consentEvent(firstName(review.name), item.state, item.previousState, item.reason);
    return (
      <div className={`note ${tone}`}>
        <Icon name={icon} size={15} />
        <span>{word.replace('texts from you', 'texts').replace('You asked', 'Asked')}</span>
        <Time at={at}>{clockTime(at)}</Time>
      </div>
    );
  }
  const className = `item ${isReviewed ? 'reviewed' : ''}`;
  if (item.type === 'reply')
    return (
      <div className={className} data-entry={item.archiveNumber}>
        {item.text !== '' && (
          <div className="say in">
            <Marked text={(isReviewed && text) || item.text} marks={marks} />
          </div>
        )}
        {item.media.map((each) => (
          <Attachment key={each.place} reviewId={review.reviewId} {...each} />
        ))}
        <div className="said-state left">
          <Time at={at}>{clockTime(at)}</Time>
        </div>
        {item.isPossibleOptOut && isReviewed && review.status === 'open' && review.effect?.since && (
          <div className="note bad">
            <Icon name="hand-stop" size={15} />
            Possible opt-out: texts to {firstName(review.name) === 'They' ? 'them' : firstName(review.name)} are held
            until somebody decides
          </div>
        )}
      </div>
    );
  const said = statusWords[item.status];
  const life = lifeOf(item);
  return (
    <div className={className} data-entry={item.archiveNumber}>
      <div className={`say out ${isWaiting(life) ? 'wait' : ''}`}>
        <Marked text={(isReviewed && text) || item.text} marks={marks} />
      </div>
      <div className={`said-state ${said.tone}`}>
        <Icon name={item.status === 'held' ? 'player-pause' : said.icon} size={14} />
        <Time at={wentAt(life) ?? at} title={lifeMoments(life)}>
          {[kindWords[item.kind], lifeWords(life, said.word, { now })].filter(Boolean).join(' · ')}
        </Time>
        {item.failureCode && <span className="advice">{failureAdvice[item.failureCode].what}</span>}
      </div>
    </div>
  );
}

function Attachment({ reviewId, replyNumber, place, ...came }: KeptMedia & { reviewId: number }) {
  if (came.size === 0 && !came.isPending)
    return (
      <div className="say in row">
        <Icon name="paperclip" />
        An attachment that isn’t kept
      </div>
    );
  return <Media url={`/console/api/reviews/${reviewId}/media/${replyNumber}/${place}`} {...came} />;
}

/** The text, with what was found in it. */
export function Marked({ text, marks }: { text: string | null; marks: Mark[] }): ReactNode {
  if (text === null) return <span className="soft">This text is no longer kept.</span>;
  let at = 0;
  return (
    <>
      {marks.map(({ start, end, rule }) => {
        const before = text.slice(at, start);
        at = end;
        return (
          <Fragment key={start}>
            {before}
            <mark title={rule ?? undefined}>{text.slice(start, end)}</mark>
          </Fragment>
        );
      })}
      {text.slice(at)}
    </>
  );
}
