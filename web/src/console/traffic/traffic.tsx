import { useQuery } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { useMemo } from 'react';
import { now } from '../../api/clock.ts';
import { Broken } from '../../look/parts.tsx';
import { cityOf, ownZone, pastTime } from '../../words/times.ts';
import { Chart, type ChartData } from '../charts/chart.tsx';
import { chartsOf } from './charts.ts';
import { DoctorLine } from './doctor-line.tsx';
import { Problems } from './problems.tsx';
import { type Range, ranges, type Traffic, type TrafficSearch, trafficNowQuery, trafficQuery } from './queries.ts';
import { CarrierTable, KeyTable } from './tables.tsx';
import { Tiles } from './tiles.tsx';
import './traffic.css';
import { Button } from '../../look/button.tsx';
import { Select, Tabs } from '../../look/fields.tsx';
import { Troubles } from './troubles.tsx';
import { callerName, rangeWords } from './words.ts';

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
        <Problems traffic={traffic} />
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
