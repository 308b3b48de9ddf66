import type { ChartData, Look, Series } from '../charts/chart.tsx';
import { perStep } from '../charts/scales.ts';
import type { CarrierTraffic, Traffic } from './queries.ts';
import { count, milliseconds } from './words.ts';

const carrierLooks: Look[] = ['first', 'second', 'third'];

export function chartsOf(traffic: Traffic): ChartData[] {
  const { requests, latencies, texts, carriers, stepSeconds } = traffic;
  const common = { times: traffic.times.map((time) => Date.parse(time)), stepSeconds, format: count };
  const per = perStep(stepSeconds);
  return [
    {
      ...common,
      title: `Texts sent ${per}`,
      unit: 'texts',
      kind: 'lines',
      series: carrierSeries(carriers, texts.sent),
      empty: 'No text was sent in this time.',
    },
    {
      ...common,
      title: 'API latency',
      unit: 'ms',
      kind: 'lines',
      format: milliseconds,
      series: [
        { name: 'p99', look: 'warn', values: latencies.p99 },
        { name: 'p50', look: 'quiet', values: latencies.p50 },
      ],
      empty: 'No request came in this time.',
    },
    {
      ...common,
      title: `Outcomes of texts ${per}`,
      unit: 'texts',
      kind: 'bars',
      series: [
        { name: 'Delivered', look: 'good', values: texts.delivered },
        { name: 'Not delivered', look: 'warn', values: texts.undelivered },
        { name: 'Not sent', look: 'bad', values: texts.failed },
        { name: 'In doubt', look: 'quiet', values: texts.in_doubt },
      ],
      empty: 'No text had an outcome in this time.',
    },
    {
      ...common,
      title: `Requests ${per}`,
      unit: 'requests',
      kind: 'bars',
      series: [
        { name: 'Answered', look: 'first', values: requests.ok },
        { name: 'Refused', look: 'warn', values: requests.refused },
        { name: 'Failed', look: 'bad', values: requests.failed },
      ],
      empty: 'No request came in this time.',
    },
  ];
}

/** Each of the busiest carriers, and the others together; all of them as one line where there is one. */
function carrierSeries(carriers: CarrierTraffic[], all: number[]): Series[] {
  const busy = carriers.filter(({ texts }) => texts.sent > 0).sort((a, b) => b.texts.sent - a.texts.sent);
  if (busy.length < 2) return [{ name: 'Sent', look: 'first', values: all }];
  const shown = busy.slice(0, carrierLooks.length);
  const others = busy.slice(carrierLooks.length);
  const series = shown.map(({ name, sent }, index): Series => {
    return { name: shortened(name ?? 'Removed'), look: carrierLooks[index] ?? 'fourth', values: sent };
  });
  if (others.length === 0) return series;
  const rest = all.map((_, step) => others.reduce((sum, { sent }) => sum + (sent[step] ?? 0), 0));
  return [...series, { name: 'Others', look: 'fourth', values: rest }];
}

const nameMax = 14;

/** It stands beside its line. */
function shortened(name: string): string {
  return name.length > nameMax ? `${name.slice(0, nameMax - 1)}…` : name;
}
