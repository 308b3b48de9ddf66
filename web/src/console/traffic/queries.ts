import { keepPreviousData, queryOptions } from '@tanstack/react-query';
import type { getNow, get as getTraffic } from '../../../../server/src/http/console/traffic.ts';
import { get } from '../../api/http.ts';
import type { AnswerOf } from '../answers.ts';

/** What the address says: which time, until when if not now, and whose requests. */
export type TrafficSearch = { range?: Range | undefined; until?: number | undefined; key?: number | undefined };
export type Range = 'hour' | 'day' | 'week' | 'month' | 'year';
export const ranges: readonly Range[] = ['hour', 'day', 'week', 'month', 'year'];

export type Totals = Traffic['totals'];
export type KeyTraffic = Traffic['keys'][number];
export type CarrierTraffic = Traffic['carriers'][number];
export type Traffic = AnswerOf<typeof getTraffic>;

export type CarrierState = CarrierNow['state'];
export type CarrierNow = TrafficNow['carriers'][number];
export type TrafficNow = AnswerOf<typeof getNow>;

/** The processes write what they counted every ten seconds. */
const refreshMs = 10_000;
const refreshNowMs = 5_000;

export const trafficQuery = ({ range, until, key }: TrafficSearch & { range: Range }) =>
  queryOptions({
    queryKey: ['traffic', range, until, key],
    queryFn: () => get<Traffic>('/traffic', { query: { range, until, key } }),
    placeholderData: keepPreviousData,
    refetchInterval: until === undefined ? refreshMs : false,
  });

export const trafficNowQuery = queryOptions({
  queryKey: ['traffic', 'now'],
  queryFn: () => get<TrafficNow>('/traffic/now'),
  refetchInterval: refreshNowMs,
});

export function readSearch({ range, until, key }: Record<string, unknown>): TrafficSearch {
  const known = ranges.find((each) => each === range);
  return {
    ...(known ? { range: known } : {}),
    ...(typeof until === 'number' && until > 0 ? { until } : {}),
    ...(typeof key === 'number' && Number.isInteger(key) ? { key } : {}),
  };
}
