import { Link } from '@tanstack/react-router';
import { places } from '../places.ts';
import { Tile } from '../tile.tsx';
import type { Range, Traffic, TrafficNow } from './queries.ts';
import { compared, count, duration, rangeWords, share } from './words.ts';

const spans: Record<Range, string> = {
  hour: 'in the last hour',
  day: 'in 24 hours',
  week: 'in 7 days',
  month: 'in 30 days',
  year: 'in 365 days',
};

/** The figures that say whether all is well. The first and the last are of the time shown, the others of this moment. */
export function Tiles({
  range,
  traffic,
  present,
}: {
  range: Range;
  traffic: Traffic | undefined;
  present: TrafficNow | undefined;
}) {
  const texts = traffic?.totals.texts;
  const ended = texts && texts.delivered + texts.undelivered + texts.failed;
  const lost = texts && texts.undelivered + texts.failed;
  const asked = texts && texts.accepted + texts.refused;
  return (
    <ul className="tiles">
      <Tile name={`Texts sent ${spans[range]}`} value={texts && count(texts.sent)}>
        {texts && traffic && compared(texts.sent, traffic.before.texts.sent, rangeWords[range].before)}
      </Tile>
      <Tile name="Delivered" value={texts && share(texts.delivered, ended ?? 0)} tone={lost ? 'bad' : 'good'}>
        {lost === undefined ? '' : lost === 0 ? 'none failed' : `${count(lost)} not delivered or not sent`}
      </Tile>
      <Tile name="Waiting now" value={present && count(present.waiting)} tone={isLate(present) ? 'warn' : undefined}>
        {present && waitingWords(present)}
      </Tile>
      <Tile name="In doubt now" value={present && count(present.inDoubt)} tone={present?.inDoubt ? 'warn' : undefined}>
        {present && (present.inDoubt === 0 ? 'nothing to settle' : <SettleThem />)}
      </Tile>
      <Tile name="Refused: no consent" value={texts && count(texts.refused)}>
        {texts && asked !== undefined && `${share(texts.refused, asked)} of texts asked for`}
      </Tile>
    </ul>
  );
}

/** After this, waiting isn't only the way of a text. */
const lateSeconds = 30;

function isLate(present: TrafficNow | undefined): boolean {
  return present !== undefined && present.oldestWaitSeconds > lateSeconds;
}

function waitingWords({ waiting, oldestWaitSeconds, deferred }: TrafficNow): string {
  const day = deferred > 0 ? `${count(deferred)} more wait for morning` : '';
  if (waiting === 0) return day || 'nothing is held up';
  return [`oldest ${duration(oldestWaitSeconds)}`, day].filter(Boolean).join(', ');
}

function SettleThem() {
  const place = places.find(({ to }) => to === '/doubts');
  return place ? <Link to={place.to}>settle them</Link> : 'somebody has to settle them';
}
