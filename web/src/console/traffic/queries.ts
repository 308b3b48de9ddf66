import { keepPreviousData, queryOptions } from '@tanstack/react-query';
import { get } from '../../api/http.ts';

/** What the address says: which time, until when if not now, and whose requests. */
export type TrafficSearch = { range?: Range | undefined; until?: number | undefined; key?: number | undefined };
export type Range = 'hour' | 'day' | 'week' | 'month' | 'year';
export const ranges: readonly Range[] = ['hour', 'day', 'week', 'month', 'year'];

export type TextOutcome =
  | 'accepted'
  | 'refused'
  | 'not_taken'
  | 'sent'
  | 'delivered'
  | 'undelivered'
  | 'failed'
  | 'in_doubt';
type Percentiles = Record<'p50' | 'p95' | 'p99', number | null>;
export type RequestTotals = Record<'ok' | 'refused' | 'failed' | 'all', number> & Percentiles;
export type Totals = { requests: RequestTotals; texts: Record<TextOutcome, number> };
export type KeyTraffic = RequestTotals & {
  keyId: number;
  key: {
    hint: string;
    revoked: boolean;
    applicationId: number;
    applicationName: string;
    ratePerSecond: number | null;
    dailyQuota: number | null;
    usedToday: number;
  } | null;
};
export type CarrierTraffic = Percentiles & {
  carrierId: number;
  name: string | null;
  texts: Record<TextOutcome, number>;
  sent: number[];
  failed: number[];
};
export type Traffic = {
  stepSeconds: number;
  from: string;
  until: string;
  times: string[];
  requests: Record<'ok' | 'refused' | 'failed', number[]>;
  latencies: Record<'p50' | 'p95' | 'p99', (number | null)[]>;
  texts: Record<TextOutcome, number[]>;
  totals: Totals;
  before: Totals;
  keys: KeyTraffic[];
  carriers: CarrierTraffic[];
  problems: { code: string; amount: number }[];
};

export type CarrierState = 'good' | 'throttled' | 'not_taking' | 'partly' | 'down' | 'disabled' | 'unknown';
export type CarrierNow = {
  carrierId: number;
  name: string;
  state: CarrierState;
  troubledSince: string | null;
  fault: string | null;
  connections: { bound: number; all: number };
  perSecond: number;
  waiting: number;
  oldestWaitSeconds: number;
  deferred: number;
  inDoubt: number;
  clearsAt: string | null;
};
export type TrafficNow = Pick<CarrierNow, 'waiting' | 'oldestWaitSeconds' | 'deferred' | 'inDoubt'> & { carriers: CarrierNow[] };

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
