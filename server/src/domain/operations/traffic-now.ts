import type { Deps } from '../../deps.ts';
import * as store from '../../store/operations/traffic.ts';
import { type CarrierHealth, healthOf } from '../carriers/health.ts';
import { type CarrierOverview, readStatus } from '../carriers/status.ts';

export type CarrierState = CarrierHealth | 'throttled' | 'not_taking';

const minuteMs = 60_000;
/** The pace is that of the last two full minutes and of the present one. */
const paceMs = 2 * minuteMs;
/** Trouble goes on if it comes back within this time. */
const calmMs = 5 * minuteMs;
const troubleMs = 6 * 60 * minuteMs;

/** The backlog of the whole deployment. */
export async function readTrafficNow(deps: Pick<Deps, 'db' | 'config' | 'databaseClock'>) {
  const carriers = await carriersNow(deps);
  const sum = (of: (carrier: (typeof carriers)[0]) => number) =>
    carriers.reduce((all, carrier) => all + of(carrier), 0);
  return {
    waiting: sum(({ waiting }) => waiting),
    oldestWaitSeconds: Math.max(0, ...carriers.map(({ oldestWaitSeconds }) => oldestWaitSeconds)),
    deferred: sum(({ deferred }) => deferred),
    inDoubt: sum(({ inDoubt }) => inDoubt),
    carriers,
  };
}

/** How each carrier does at this moment, what waits for it, and when that will be over. */
async function carriersNow(deps: Pick<Deps, 'db' | 'config' | 'databaseClock'>) {
  const { db } = deps;
  const now = deps.databaseClock.now();
  const backlogs = new Map((await store.listBacklogs(db)).map((row) => [row.carrierId, row]));
  const minutes = await minutesBefore(deps, now);
  return (await readStatus(deps)).map((carrier) => {
    const own = minutes.filter(({ subjectId }) => subjectId === carrier.carrierId);
    const { waiting = 0, deferred = 0, oldest = null } = backlogs.get(carrier.carrierId) ?? {};
    const troubledSince = troubleIn(own, now);
    const perSecond = paceIn(own, now);
    const { state, bound, all } = healthOf(carrier);
    return {
      carrierId: carrier.carrierId,
      name: carrier.name,
      kind: carrier.kind,
      state: troubledSince && (state === 'good' || state === 'partly') ? troubleOf(carrier) : state,
      /** Since when the carrier takes less than we have, to the minute. */
      troubledSince,
      /** Why it can't be opened, or was lost last. */
      fault: faultOf(carrier),
      connections: { bound, all },
      /** Texts that it accepted lately. */
      perSecond,
      waiting,
      /** How long ago the first of them could have gone. */
      oldestWaitSeconds: oldest ? Math.max(0, (now.getTime() - oldest.getTime()) / 1000) : 0,
      /** Texts that wait for their recipient's day: that is no backlog. */
      deferred,
      inDoubt: carrier.inDoubt,
      /** At the present pace; null if nothing waits or nothing goes. */
      clearsAt: waiting > 0 && perSecond > 0 ? new Date(now.getTime() + (waiting / perSecond) * 1000) : null,
    };
  });
}

type Minute = Pick<store.TrafficSum, 'subjectId' | 'outcome' | 'amount'> & { dateTime: Date };

async function minutesBefore({ db }: Pick<Deps, 'db'>, now: Date): Promise<Minute[]> {
  const from = new Date(Math.floor((now.getTime() - troubleMs) / minuteMs) * minuteMs);
  const period = { grain: 'minute', from, until: now, stepSeconds: 60 } as const;
  const rows = await store.listTraffic(db, ['text'], period);
  return rows.map((row) => ({ ...row, dateTime: new Date(from.getTime() + row.step * minuteMs) }));
}

function paceIn(minutes: Minute[], now: Date): number {
  const from = Math.floor(now.getTime() / minuteMs) * minuteMs - paceMs;
  const sent = minutes.filter(({ outcome, dateTime }) => outcome === 'sent' && dateTime.getTime() >= from);
  return sent.reduce((sum, { amount }) => sum + amount, 0) / ((now.getTime() - from) / 1000);
}

/** When the carrier began not to take texts, if that hasn't ended. */
function troubleIn(minutes: Minute[], now: Date): Date | null {
  let since = now.getTime() + minuteMs;
  const times = minutes.flatMap(({ outcome, dateTime }) => (outcome === 'not_taken' ? dateTime.getTime() : []));
  for (const time of times.sort((one, other) => other - one)) {
    if (since - time > calmMs + minuteMs) break;
    since = time;
  }
  return since > now.getTime() ? null : new Date(since);
}

function troubleOf({ nodes }: CarrierOverview): CarrierState {
  return nodes.some(({ carrier }) => (carrier?.throttled ?? 0) > 0) ? 'throttled' : 'not_taking';
}

function faultOf({ nodes }: CarrierOverview): string | null {
  const lost = nodes.flatMap(({ carrier }) => carrier?.connections ?? []).filter(({ state }) => state !== 'bound');
  return [...nodes, ...lost].find(({ lastFault }) => lastFault !== null)?.lastFault ?? null;
}
