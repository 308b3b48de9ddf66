import './broadcasts.css';
import { useInfiniteQuery, useQuery } from '@tanstack/react-query';
import { Link, useParams } from '@tanstack/react-router';
import { useState } from 'react';
import { useNow } from '../api/clock.ts';
import { CallFailed, post } from '../api/http.ts';
import { client } from '../api/queries.ts';
import { useAdvisor } from '../api/session.ts';
import type { ConsentState } from '../api/types.ts';
import { Button } from '../look/button.tsx';
import { Dialog } from '../look/dialog.tsx';
import { Icon } from '../look/icons.tsx';
import { Broken, Chip, Face, Loading, Time } from '../look/parts.tsx';
import { NotFound } from '../shell/shell.tsx';
import { toast } from '../shell/toasts.tsx';
import { count, phoneWords } from '../words/people.ts';
import { consentWords } from '../words/states.ts';
import { pastTime } from '../words/times.ts';
import { broadcastQuery, type OpenBroadcast, type Recipient, recipientsQuery } from './queries.ts';
import { answerWords, asksForConsent, broadcastSaid, nameOf, outcomeAdvice, outcomeSaid } from './words.ts';

/** What becomes of a text to a group, live. It goes on without this page. */
export function OpenBroadcastPage() {
  const { broadcastId } = useParams({ from: '/broadcasts/$broadcastId' });
  const { data: broadcast, error, refetch } = useQuery(broadcastQuery(broadcastId));
  const { timeZone } = useAdvisor();
  const now = useNow();
  const [isAsking, ask] = useState(false);
  if (error instanceof CallFailed && (error.status === 404 || error.status === 400)) return <NotFound />;
  if (error && !broadcast) return <Broken error={error} retry={() => void refetch()} />;
  return (
    <div className="page broadcast">
      <header className="page-head">
        <Link to="/broadcasts" className="button quiet square" aria-label="Back to the texts to groups">
          <Icon name="chevron-left" />
        </Link>
        <h1 className="cut">{broadcast ? nameOf(broadcast) : 'Text to a group'}</h1>
        {broadcast?.status === 'sending' && (
          <Button kind="small bad end" onClick={() => ask(true)}>
            Stop
          </Button>
        )}
      </header>
      <div className="page-body">
        {broadcast ? (
          <>
            <div className="row wrap">
              <Chip {...broadcastSaid(broadcast)} />
              {asksForConsent(broadcast) && <Chip word="Asks for consent" icon="hourglass" tone="quiet" />}
              <span className="small soft">
                To {count(broadcast.people, 'person', 'people')},{' '}
                <Time at={broadcast.dateTimeCreated} zone={timeZone}>
                  {pastTime(broadcast.dateTimeCreated, now, timeZone)}
                </Time>
              </span>
            </div>
            <Progress broadcast={broadcast} />
            {asksForConsent(broadcast) && <Answers broadcast={broadcast} />}
            <blockquote className="broadcast-quote broadcast-text">{broadcast.text}</blockquote>
            <People broadcast={broadcast} />
          </>
        ) : (
          <Loading height={56} bars={3} />
        )}
      </div>
      {isAsking && broadcast && <StopQuestion broadcast={broadcast} close={() => ask(false)} />}
    </div>
  );
}

const parts: { name: string; tone: string; outcomes: Recipient['outcome'][] }[] = [
  { name: 'delivered', tone: 'good', outcomes: ['delivered'] },
  { name: 'sent', tone: 'brand', outcomes: ['sent'] },
  { name: 'on the way', tone: 'brand', outcomes: ['queued'] },
  { name: 'to come', tone: 'rest', outcomes: ['waiting'] },
  { name: 'later, when it is day', tone: 'warn', outcomes: ['deferred'] },
  { name: 'held by your firm', tone: 'warn', outcomes: ['held'] },
  { name: 'in doubt', tone: 'warn', outcomes: ['in_doubt'] },
  { name: 'not delivered', tone: 'bad', outcomes: ['undelivered', 'failed'] },
  { name: 'not sent', tone: 'bad', outcomes: ['refused'] },
  { name: 'stopped', tone: 'rest', outcomes: ['stopped'] },
];

function Progress({ broadcast: { counts, people } }: { broadcast: OpenBroadcast }) {
  const shown = parts
    .map(({ outcomes, ...part }) => ({ ...part, people: outcomes.reduce((sum, each) => sum + (counts[each] ?? 0), 0) }))
    .filter((part) => part.people > 0);
  const open = (counts.waiting ?? 0) + (counts.deferred ?? 0) + (counts.queued ?? 0);
  return (
    <div className="broadcast-progress">
      <div
        className="broadcast-bar"
        role="progressbar"
        aria-label="People whose text has an outcome"
        aria-valuemin={0}
        aria-valuemax={people}
        aria-valuenow={people - open}
      >
        {shown.map(({ name, tone, people: part }) => (
          <span key={name} className={tone} style={{ flexGrow: part }} />
        ))}
      </div>
      <ul className="row wrap small" aria-label="So far">
        {shown.map(({ name, tone, people }) => (
          <li className="row" key={name}>
            <span className={`dot ${tone}`} />
            <b className="number">{people.toLocaleString('en-US')}</b> {name}
          </li>
        ))}
      </ul>
    </div>
  );
}

const answered: ConsentState[] = ['accepted', 'opted_out', 'pending'];

/** What those who were asked have answered so far. */
function Answers({ broadcast: { answers } }: { broadcast: OpenBroadcast }) {
  const given = answered.flatMap((state) => (answers[state] ? { state, people: answers[state] } : []));
  return (
    <ul className="row wrap broadcast-answers" aria-label="Answers so far">
      {given.map(({ state, people }) => (
        <li key={state}>
          <Chip {...consentWords[state]} word={`${people.toLocaleString('en-US')} ${answerWords[state]}`} />
        </li>
      ))}
    </ul>
  );
}

function People({ broadcast }: { broadcast: OpenBroadcast }) {
  const { broadcastId, counts, people } = broadcast;
  const [onlyTrouble, showTrouble] = useState(false);
  const trouble = (['refused', 'stopped', 'failed', 'undelivered'] as const).reduce(
    (sum, each) => sum + (counts[each] ?? 0),
    0,
  );
  const isFiltered = onlyTrouble && trouble > 0;
  const { data, error, refetch, hasNextPage, fetchNextPage } = useInfiniteQuery(
    recipientsQuery(broadcastId, isFiltered ? 'trouble' : undefined),
  );
  if (error && !data) return <Broken error={error} retry={() => void refetch()} />;
  return (
    <section className="broadcast-people" aria-label="What became of each person’s text">
      <fieldset className="tabs" aria-label="Whose text">
        <button type="button" aria-pressed={!isFiltered} onClick={() => showTrouble(false)}>
          Everybody <span className="number">{people.toLocaleString('en-US')}</span>
        </button>
        {trouble > 0 && (
          <button type="button" aria-pressed={isFiltered} onClick={() => showTrouble(true)}>
            Didn’t get it <span className="number">{trouble.toLocaleString('en-US')}</span>
          </button>
        )}
      </fieldset>
      <ul>
        {data?.pages
          .flatMap((page) => page.data)
          .map((each) => (
            <PersonRow key={each.place} person={each} isAsked={asksForConsent(broadcast)} />
          ))}
      </ul>
      {hasNextPage && <Button onClick={() => void fetchNextPage()}>Show more</Button>}
    </section>
  );
}

function PersonRow({ person, isAsked }: { person: Recipient; isAsked: boolean }) {
  const { timeZone } = useAdvisor();
  const now = useNow();
  const { name, phone, memberId, text, consent } = person;
  const hasAnswered = isAsked && (consent === 'accepted' || consent === 'opted_out');
  const called = name ?? (phone ? phoneWords(phone) : 'Unnamed');
  const advice = outcomeAdvice(person);
  return (
    <li className="broadcast-person">
      <Face name={name} phone={phone ?? ''} />
      <div className="grow">
        <div className="row wrap">
          {memberId ? (
            <Link to="/c/$memberId" params={{ memberId }} className="cut strong">
              {called}
            </Link>
          ) : (
            <b className="cut">{called}</b>
          )}
          <Chip {...outcomeSaid(person, now, timeZone)} />
          {hasAnswered && <Chip {...consentWords[consent]} />}
        </div>
        {!isAsked && <p className="small soft cut">{text}</p>}
        {advice && <p className="small soft">{advice}</p>}
      </div>
    </li>
  );
}

function StopQuestion({ broadcast, close }: { broadcast: OpenBroadcast; close(): void }) {
  const { broadcastId, counts } = broadcast;
  const isAsking = asksForConsent(broadcast);
  const left = (counts.waiting ?? 0) + (counts.deferred ?? 0);
  const confirm = async () => {
    close();
    await post(`/broadcasts/${broadcastId}/stop`).then(
      () => toast(`Stopped: nobody else ${isAsking ? 'is asked' : 'gets it'}.`),
      (error) => toast(`Not stopped. ${error.message}`),
    );
    void client.invalidateQueries({ queryKey: ['broadcasts'] });
  };
  return (
    <Dialog close={close} title={isAsking ? 'Stop asking for consent?' : `Stop texting ${nameOf(broadcast)}?`}>
      <p>
        {count(left, 'person hasn’t', 'people haven’t')}{' '}
        {isAsking ? 'been asked yet and won’t be' : 'got it yet and won’t get it'}. What is on its way can’t be called
        back.
      </p>
      <div className="buttons" style={{ marginTop: 16 }}>
        <Button onClick={close} data-autofocus>
          {isAsking ? 'Keep asking' : 'Keep sending'}
        </Button>
        <Button kind="bad" onClick={() => void confirm()}>
          Stop
        </Button>
      </div>
    </Dialog>
  );
}
