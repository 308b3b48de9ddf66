import { useQuery } from '@tanstack/react-query';
import { Link, useParams } from '@tanstack/react-router';
import { useNow } from '../../api/clock.ts';
import { get } from '../../api/http.ts';
import { Icon } from '../../look/icons.tsx';
import { Broken, Chip, Fact, Loading, Time } from '../../look/parts.tsx';
import { count, phoneWords } from '../../words/people.ts';
import { channelWords, consentWords, evidenceWords } from '../../words/states.ts';
import { fullTime, pastTime } from '../../words/times.ts';
import { useSession } from '../session.ts';
import './consent.css';
import type { consent } from '../../../../server/src/http/console/people.ts';
import { Button } from '../../look/button.tsx';
import type { AnswerOf } from '../answers.ts';

type Change = AnswerOf<typeof consent>['history'][number];

/** Everything that is on record about a person's consent, as it is printed. */
export function ConsentOf() {
  const { advisorId, memberId } = useParams({ from: '/consent/$advisorId/$memberId' });
  const { staff } = useSession();
  const now = useNow();
  const { data, error } = useQuery({
    queryKey: ['consent', advisorId, memberId],
    queryFn: () => get<AnswerOf<typeof consent>>(`/people/${advisorId}/${memberId}/consent`),
  });
  if (error && !data) return <Broken error={error} />;
  if (!data)
    return (
      <div className="console-page">
        <Loading height={400} />
      </div>
    );
  const { name, phone, advisor, state, lastChanged, history } = data;
  const since = Date.parse(lastChanged);
  return (
    <div className="console-page consent-page">
      <header className="console-head">
        <Link to="/consent" className="button quiet square" aria-label="Somebody else">
          <Icon name="chevron-left" size={20} />
        </Link>
        <div className="grow">
          <h1>Consent of {name ?? phoneWords(phone)}</h1>
          <p className="small soft">
            {phoneWords(phone)} · known to {advisor} of {staff.firmName}
          </p>
        </div>
        <Button icon="printer" kind="main" onClick={() => print()}>
          Print
        </Button>
      </header>
      <section className="console-card">
        <h2>Now</h2>
        <p className="row wrap">
          <Chip {...consentWords[state]} />
          {history.length > 0 && (
            <span>
              since <Time at={since}>{pastTime(since, now)}</Time>
            </span>
          )}
          <span className="soft">· {count(history.length, 'change')} on record</span>
        </p>
      </section>
      <section aria-labelledby="history">
        <h2 id="history">History, the latest first</h2>
        {history.length === 0 && <p className="soft">Nothing was asked, and nothing was recorded.</p>}
        <ol className="consent-history full-time">
          {history.map((change) => (
            <Evidence key={change.id} change={change} advisorId={advisorId} firm={staff.firmName ?? 'the firm'} />
          ))}
        </ol>
      </section>
    </div>
  );
}

function Evidence({ change, advisorId, firm }: { change: Change; advisorId: string; firm: string }) {
  const { state, previousState, reason, channel, dateTime, wording, reply, proof, isKept, archiveNumber } = change;
  const moment = (at: string) => <Time at={Date.parse(at)}>{fullTime(Date.parse(at))}</Time>;
  return (
    <li className="console-card">
      <h3 className="consent-move">
        <Chip {...consentWords[previousState]} />
        <Icon name="chevron-right" size={16} />
        <span className="hidden-visually">became</span>
        <Chip {...consentWords[state]} />
      </h3>
      <dl className="facts wide">
        <Fact name="When">{moment(dateTime)}</Fact>
        <Fact name="How">
          {channelWords[channel]}
          {evidenceWords(reason)}
        </Fact>
        <Fact name="Recorded by">{recorderOf(change, firm)}</Fact>
        {wording && (
          <Fact name="They were asked">
            <blockquote>{wording.text}</blockquote>
            <span className="small soft">
              {wording.version === 0 ? 'The usual wording' : `Version ${wording.version} of the firm’s wording`}, shown{' '}
              {moment(wording.shown)}
            </span>
          </Fact>
        )}
        {reply && (
          <Fact name="They wrote">
            <blockquote>{reply.text}</blockquote>
            <span className="small soft">Sent {moment(reply.sent)}</span>
          </Fact>
        )}
        {proof && <Fact name="Written down">{proof}</Fact>}
        {!isKept && (
          <Fact name="Evidence">
            The texts are no longer kept, since their retention is over. The change itself is.
          </Fact>
        )}
        <dt>Archive</dt>
        <dd className="number">
          <Link
            to="/archive/$advisorId/$number"
            params={{ advisorId, number: String(archiveNumber) }}
            className="in-text"
          >
            Entry {archiveNumber.toLocaleString('en-US')}
          </Link>
        </dd>
      </dl>
    </li>
  );
}

function recorderOf({ by, byName }: Change, firm: string): string {
  const words: Record<Change['by'], string> = {
    person: 'Assent, from their text',
    advisor: 'The advisor',
    application: byName ?? 'An application',
    staff: `${byName ?? 'Somebody'} of ${firm}`,
    carrier: 'Their carrier',
    operator: 'The operator',
    service: 'Assent',
  };
  return words[by];
}
