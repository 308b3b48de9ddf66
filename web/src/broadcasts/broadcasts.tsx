import './broadcasts.css';
import { useInfiniteQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useNow } from '../api/clock.ts';
import { useAdvisor } from '../api/session.ts';
import { Button } from '../look/button.tsx';
import { Icon } from '../look/icons.tsx';
import { Broken, Chip, Loading, StateScreen, Time } from '../look/parts.tsx';
import { count } from '../words/people.ts';
import { pastTime } from '../words/times.ts';
import { type Broadcast, broadcastsQuery } from './queries.ts';
import { asksForConsent, broadcastSaid, nameOf } from './words.ts';

/** Every text to a group, the latest first. */
export function Broadcasts() {
  const { data, error, refetch, hasNextPage, fetchNextPage } = useInfiniteQuery(broadcastsQuery);
  const rows = data?.pages.flatMap((page) => page.data) ?? [];
  return (
    <div className="page broadcast">
      <header className="page-head">
        <Link to="/contacts" className="button quiet square" aria-label="Back to the contacts">
          <Icon name="chevron-left" />
        </Link>
        <h1 className="cut">Texts to groups</h1>
      </header>
      {error && !data ? (
        <Broken error={error} retry={() => void refetch()} />
      ) : !data ? (
        <div className="page-body">
          <Loading height={56} bars={3} />
        </div>
      ) : rows.length === 0 ? (
        <StateScreen
          icon="users"
          title="No group was texted yet"
          action={
            <Link to="/contacts" className="button">
              Choose a group
            </Link>
          }
        >
          Choose a group in your contacts, and then “Text this group”.
        </StateScreen>
      ) : (
        <div className="page-body">
          <ul>
            {rows.map((each) => (
              <Row key={each.broadcastId} broadcast={each} />
            ))}
          </ul>
          {hasNextPage && <Button onClick={() => void fetchNextPage()}>Show more</Button>}
        </div>
      )}
    </div>
  );
}

function Row({ broadcast }: { broadcast: Broadcast }) {
  const { broadcastId, text, people, accepted, dateTimeCreated } = broadcast;
  const { timeZone } = useAdvisor();
  const now = useNow();
  return (
    <li className="row planned">
      <div className="grow">
        <div className="row wrap">
          <Link to="/broadcasts/$broadcastId" params={{ broadcastId }} className="cut strong">
            {nameOf(broadcast)}
          </Link>
          <Chip {...broadcastSaid(broadcast)} />
          {asksForConsent(broadcast) && <Chip word="Asks for consent" icon="hourglass" tone="quiet" />}
        </div>
        <div className="small soft number">
          <Time at={dateTimeCreated} zone={timeZone}>
            {pastTime(dateTimeCreated, now, timeZone)}
          </Time>
          {` · ${accepted.toLocaleString('en-US')} of ${count(people, 'person', 'people')}`}
        </div>
        <div className="soft cut">{text}</div>
      </div>
    </li>
  );
}
