import { useQuery } from '@tanstack/react-query';
import { Fragment, type ReactNode } from 'react';
import { useNow } from '../../api/clock.ts';
import { Time } from '../../look/parts.tsx';
import { count } from '../../words/people.ts';
import { channelWords } from '../../words/states.ts';
import { pastTime } from '../../words/times.ts';
import { archiveWords } from '../overview/words.ts';
import { archiveQuery, type Evidence, type ReviewDetail } from './queries.ts';
import { eventWords, reasonOf } from './words.ts';

/** Why it is here, what the person agreed to, what was done about it, and what proves all of it. */
export function Margin({ review }: { review: ReviewDetail }) {
  const { name, phone, consent, events, similar, effect, incomplete, memberId } = review;
  return (
    <aside className="margin" aria-label="About this review">
      <section>
        <h2 className="eyebrow">Why it is here</h2>
        <Why review={review} />
        {similar && similar.optOuts + similar.others > 0 && (
          <p>
            Possible opt-outs that your firm decided in the last 90 days:{' '}
            <b>{count(similar.optOuts, 'was an opt-out', 'were opt-outs')}</b>,{' '}
            {count(similar.others, 'wasn’t', 'weren’t')}.
          </p>
        )}
        {incomplete && <p>{count(incomplete.of - incomplete.received, 'part')} of the text never came.</p>}
        {review.escalatedAt && <p>Escalated: a compliance officer decides it.</p>}
      </section>
      {memberId !== null && (
        <section>
          <h2 className="eyebrow">Consent of {name ?? phone}</h2>
          <ol className="steps">
            {effect?.since && review.status === 'open' && (
              <Step tone="warn" title={<b>Possible opt-out</b>} at={effect.since} />
            )}
            {consent.slice(0, 8).map((change) => (
              <Step
                key={change.id}
                tone={change.state === 'accepted' ? 'good' : change.state === 'opted_out' ? 'bad' : 'warn'}
                title={changeWords(change)}
                at={change.dateTime}
                more={[
                  change.channel === 'text' ? null : channelWords[change.channel],
                  change.wording && change.wording.version > 0 ? `wording ${change.wording.version}` : null,
                ]}
              />
            ))}
          </ol>
          {consent.length === 0 && <p className="soft">Nothing was asked, and nothing was recorded.</p>}
        </section>
      )}
      {events.length > 0 && (
        <section>
          <h2 className="eyebrow">What was done</h2>
          <ol className="steps">
            {events.map((event) => (
              <Step
                key={event.number}
                tone={event.action === 'not_done' ? 'bad' : 'quiet'}
                title={eventWords(event)}
                at={event.dateTime}
                note={event.note}
              />
            ))}
          </ol>
        </section>
      )}
      <Archive />
    </aside>
  );
}

function Why({ review }: { review: ReviewDetail }) {
  const { marks, text, rules } = review;
  const found = text === null ? [] : [...new Set(marks.map(({ start, end }) => text.slice(start, end)))].slice(0, 3);
  return (
    <p>
      {found.map((words) => (
        <span key={words}>
          <mark>{words.length > 120 ? `${words.slice(0, 120)}…` : words}</mark>{' '}
        </span>
      ))}
      {rules.length > 0 && <b>{rules.join(', ')}: </b>}
      {reasonOf(review)}
    </p>
  );
}

function Step({
  tone,
  title,
  at,
  more = [],
  note,
}: {
  tone: string;
  title: ReactNode;
  at: string;
  more?: (string | null)[];
  note?: string | null;
}) {
  const now = useNow();
  return (
    <li className={`passed ${tone}`}>
      {title}
      {note && <q className="step-note">{note}</q>}
      <span className="small soft">
        <Time at={Date.parse(at)}>{pastTime(Date.parse(at), now)}</Time>
        {more.filter(Boolean).map((each) => ` · ${each}`)}
      </span>
    </li>
  );
}

/** One change of consent, as short as it can be said. */
function changeWords({ state, previousState, reason, reply, by, byName }: Evidence): string {
  if (state === 'accepted' && reply) return `Replied “${reply.text.slice(0, 40)}”`;
  if (state === 'accepted') return by === 'staff' ? `Recorded by ${byName ?? 'the firm'}` : 'Agreed';
  if (state === 'pending') return 'Asked by text';
  if (state === 'opted_out') {
    if (reason === 'possible_opt_out') return `Opted out, decided by ${byName ?? 'the firm'}`;
    return reply ? `Opted out: “${reply.text.slice(0, 40)}”` : 'Opted out';
  }
  return previousState === 'pending' ? 'The request was not answered' : 'Consent was reset';
}

function Archive() {
  const now = useNow();
  const { data } = useQuery(archiveQuery);
  return (
    <section>
      <h2 className="eyebrow">The archive</h2>
      <dl className="facts">
        {data &&
          archiveWords(data).map(({ name, said, sentence, at }) => (
            <Fragment key={name}>
              <dt>{name}</dt>
              <dd title={sentence}>
                <span className={`tone ${said.tone}`}>{said.word}</span>
                {at !== null && (
                  <>
                    , <Time at={at}>{pastTime(at, now)}</Time>
                  </>
                )}
              </dd>
            </Fragment>
          ))}
      </dl>
      <p className="small soft">Every decision here is an archive entry with your name.</p>
    </section>
  );
}
