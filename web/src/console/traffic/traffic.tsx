import { useQuery } from '@tanstack/react-query';
import { getRouteApi, Link } from '@tanstack/react-router';
import { useMemo } from 'react';
import type { doctor } from '../../../../server/src/http/console/operations.ts';
import { now } from '../../api/clock.ts';
import { get } from '../../api/http.ts';
import { Broken, Chip } from '../../look/parts.tsx';
import { sentence } from '../../words/imports.ts';
import { cityOf, ownZone, pastTime } from '../../words/times.ts';
import type { AnswerOf, RowOf } from '../answers.ts';
import { Chart, type ChartData } from '../charts/chart.tsx';
import { places } from '../places.ts';
import { chartsOf } from './charts.ts';
import {
  type CarrierNow,
  type Range,
  ranges,
  type Traffic,
  type TrafficSearch,
  trafficNowQuery,
  trafficQuery,
} from './queries.ts';
import { CarrierTable, KeyTable, ProblemTable } from './tables.tsx';
import { Tiles } from './tiles.tsx';
import './traffic.css';
import { Button } from '../../look/button.tsx';
import { Select, Tabs } from '../../look/fields.tsx';
import { Icon } from '../../look/icons.tsx';
import { callerName, rangeWords, troubleOf } from './words.ts';

const route = getRouteApi('/traffic');

/** Usage, errors and latency by key, texts by outcome and carrier, and what waits. The address has what is shown. */
export function TrafficPage() {
  const search = route.useSearch();
  const range = search.range ?? 'day';
  const { data: traffic, error, isPlaceholderData } = useQuery(trafficQuery({ ...search, range }));
  const { data: present } = useQuery(trafficNowQuery);
  const charts = useMemo(() => traffic && chartsOf(traffic), [traffic]);
  if (error && !traffic) return <Broken error={error} />;
  return (
    <div className="console-page traffic" aria-busy={isPlaceholderData}>
      <Head range={range} search={search} traffic={traffic} />
      <Troubles carriers={present?.carriers ?? []} />
      <Tiles range={range} traffic={traffic} present={present} />
      <div className="traffic-pair">
        {charts
          ? charts.map((data) => <Chart key={data.title} data={data} note={noteOf(data, search)} />)
          : ranges.slice(0, 4).map((each) => <div key={each} className="skeleton traffic-skeleton" />)}
      </div>
      <div className="traffic-pair">
        <CarrierTable carriers={traffic?.carriers} present={present?.carriers} />
        <ProblemTable traffic={traffic} />
      </div>
      <KeyTable keys={traffic?.keys} chosen={search.key} />
      <DoctorLine />
    </div>
  );
}

/** What its title doesn't say: its unit, and that texts have no key. */
function noteOf({ unit }: ChartData, { key }: TrafficSearch): string | undefined {
  if (unit === 'ms') return unit;
  return key !== undefined && unit === 'texts' ? 'of all applications' : undefined;
}

function Head({ range, search, traffic }: { range: Range; search: TrafficSearch; traffic: Traffic | undefined }) {
  const navigate = route.useNavigate();
  const go = (change: TrafficSearch) => void navigate({ search: { ...search, ...change }, replace: true });
  const zone = cityOf(ownZone);
  const [from, until] = [traffic?.from, traffic?.until].map((at) => at && pastTime(Date.parse(at), now()));
  return (
    <header className="console-head">
      <h1>Traffic</h1>
      <span className="soft">
        {search.until === undefined ? 'All nodes' : `${from} – ${until}`} · times in your zone ({zone})
      </span>
      <div className="row wrap end">
        <Select
          className="traffic-key"
          aria-label="Requests of"
          value={search.key}
          choose={(value) => go({ key: value === '' ? undefined : Number(value) })}
          none="All applications"
          options={traffic?.keys.map((each) => [
            each.keyId,
            each.key ? `${callerName(each)} (${each.key.hint})` : callerName(each),
          ])}
        />
        <Tabs
          label="Time"
          options={ranges.map((each) => [each, rangeWords[each].name])}
          chosen={range}
          choose={(range) => go({ range })}
        />
        <div className="row">
          <Button
            icon="chevron-left"
            kind="square small"
            aria-label={`The ${range} before`}
            title={`The ${range} before`}
            disabled={!traffic}
            onClick={() => traffic && go({ until: Date.parse(traffic.from) })}
          />
          <Button kind="small" disabled={search.until === undefined} onClick={() => go({ until: undefined })}>
            Now
          </Button>
        </div>
      </div>
    </header>
  );
}

/** Above everything: carriers that take less than they are given, what that means, and when it will be over. */
function Troubles({ carriers }: { carriers: CarrierNow[] }) {
  return (
    <div className="traffic-troubles" aria-live="polite">
      {carriers.map((carrier) => {
        const trouble = troubleOf(carrier);
        return (
          trouble && (
            <p key={carrier.carrierId} className={`hint ${carrier.state === 'down' ? 'bad' : 'warn'}`}>
              <Icon name="alert-triangle" />
              <span className="grow">
                <b>{trouble.what}</b> {trouble.then}
              </span>
              <a className="link" href={`/docs/operators/monitoring#${trouble.guide}`}>
                What to do
              </a>
            </p>
          )
        );
      })}
    </div>
  );
}

type Finding = RowOf<typeof doctor>;

/** An examination takes a second or so, and nothing in it changes from moment to moment. */
const freshMs = 5 * 60_000;

/** What the doctor found, in one line: how many are good, and the first that isn't. */
function DoctorLine() {
  const place = places.find(({ to }) => to === '/doctor');
  const { data } = useQuery({
    queryKey: ['/doctor'],
    queryFn: () => get<AnswerOf<typeof doctor>>('/doctor'),
    staleTime: freshMs,
    enabled: place !== undefined,
  });
  if (!place || !data) return null;
  const of = (state: Finding['state']) => data.data.filter((finding) => finding.state === state);
  const [first] = [...of('failing'), ...of('warning')];
  return (
    <section className="console-card row wrap traffic-doctor" aria-label="Doctor">
      <h2>Doctor</h2>
      <Chip word={`${of('ok').length} good`} icon="circle-check" tone="good" />
      {of('warning').length > 0 && <Chip word={`${of('warning').length} to do`} icon="alert-triangle" tone="warn" />}
      {of('failing').length > 0 && <Chip word={`${of('failing').length} failing`} icon="alert-triangle" tone="bad" />}
      <span className="grow soft">
        {first ? `${sentence(first.check).slice(0, -1)}: ${first.says}` : 'Nothing needs you.'}
      </span>
      <Link to={place.to}>{first ? 'What to do' : 'See all'}</Link>
    </section>
  );
}
