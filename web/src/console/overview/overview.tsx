import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { useNow } from '../../api/clock.ts';
import { get } from '../../api/http.ts';
import { Icon } from '../../look/icons.tsx';
import { Broken, Chip, Loading, Time } from '../../look/parts.tsx';
import { count } from '../../words/people.ts';
import type { StateWord } from '../../words/states.ts';
import { pastTime } from '../../words/times.ts';
import { placesOf } from '../places.ts';
import { useSession } from '../session.ts';
import { Tile } from '../tile.tsx';
import './overview.css';
import { archiveWords, needsOf, type Overview as State } from './words.ts';

const overviewQuery = {
  queryKey: ['overview'],
  queryFn: () => get<State>('/overview'),
  refetchInterval: 30_000,
};

/** The state of the archive as an examiner would want it said, and what needs a person. */
export function Overview() {
  const { staff } = useSession();
  const { data, error, refetch } = useQuery(overviewQuery);
  if (error && !data) return <Broken error={error} retry={refetch} />;
  return (
    <div className="console-page">
      <header className="console-head">
        <h1>Overview</h1>
        <span className="soft">{staff.firmName}</span>
      </header>
      {data ? (
        <div className="overview">
          <Needs state={data} />
          <Figures state={data} />
          <Archive state={data} />
        </div>
      ) : (
        <Loading height={480} />
      )}
    </div>
  );
}

function Needs({ state }: { state: State }) {
  const needs = needsOf(state);
  return (
    <section className="console-card" aria-labelledby="needs">
      <h2 id="needs">What needs a person</h2>
      {needs.length === 0 ? (
        <p className="row soft">
          <span className="tone good">
            <Icon name="circle-check" />
          </span>
          Nothing right now: no review is open, and the archive is in order.
        </p>
      ) : (
        <ul className="overview-needs">
          {needs.map(({ what, why, icon, tone, to }) => (
            <li key={what}>
              <span className={`tone ${tone}`}>
                <Icon name={icon} />
              </span>
              <span className="grow">
                <b>{what}</b>
                <span className="soft">{why}</span>
              </span>
              {to && <PlaceLink to={to}>Open</PlaceLink>}
            </li>
          ))}
        </ul>
      )}
    </section>
  );
}

/** A link to a page that one's role may open; otherwise nothing. */
function PlaceLink({ to, children }: { to: string; children: ReactNode }) {
  const { staff } = useSession();
  if (!placesOf(staff.role).some((place) => place.to === to)) return null;
  return (
    <Link to={to} className="button small">
      {children}
    </Link>
  );
}

function Figures({ state: { reviews, holds, retentionYears, archive, advisors } }: { state: State }) {
  const now = useNow();
  const oldest = reviews.oldest && Date.parse(reviews.oldest);
  return (
    <ul className="tiles">
      <Tile
        icon="clipboard-check"
        name="Open reviews"
        value={reviews.open}
        button={<PlaceLink to="/reviews">Open</PlaceLink>}
      >
        {oldest ? (
          <>
            oldest from <Time at={oldest}>{pastTime(oldest, now)}</Time>
          </>
        ) : (
          'everything is decided'
        )}
      </Tile>
      <Tile
        icon="archive"
        name="Archive entries"
        value={archive.entries}
        button={<PlaceLink to="/archive">Open</PlaceLink>}
      >
        of {count(advisors, 'advisor')}
      </Tile>
      <Tile icon="gavel" name="Legal holds" value={holds} button={<PlaceLink to="/holds">Open</PlaceLink>}>
        {holds === 0 ? 'none in force' : 'in force'}
      </Tile>
      <Tile icon="history" name="Retention" value={retentionYears} unit={retentionYears === 1 ? 'year' : 'years'}>
        then texts are disposed of
      </Tile>
    </ul>
  );
}

function Archive({ state }: { state: State }) {
  const now = useNow();
  return (
    <section className="console-card" aria-labelledby="archive-state">
      <h2 id="archive-state">State of the archive</h2>
      <dl className="overview-archive">
        {archiveWords(state).map(({ name, said, sentence, at }) => (
          <Fact key={name} name={name} said={said}>
            {sentence}
            {at !== null && (
              <>
                {' '}
                <Time at={at}>{pastTime(at, now)}</Time>.
              </>
            )}
          </Fact>
        ))}
      </dl>
      <p className="small soft">
        Each entry is part of a hash tree that is signed every few seconds. An entry that was changed, removed or added
        later no longer fits what was signed, and anyone with an export and the public key can check that without us.
      </p>
    </section>
  );
}

function Fact({ name, said, children }: { name: string; said: StateWord; children: ReactNode }) {
  return (
    <>
      <dt>{name}</dt>
      <dd>
        <Chip {...said} />
        <span>{children}</span>
      </dd>
    </>
  );
}
