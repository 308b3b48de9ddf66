import type { Deps } from '../../deps.ts';
import type { AdvisorSettings } from '../../store/accounts/advisors.ts';
import { findAdvisorByTextingNumber } from '../../store/accounts/advisors.ts';
import type { NumberRow } from '../../store/carriers/numbers.ts';
import * as store from '../../store/carriers/numbers.ts';
import { type Advisor, getAdvisor, setAdvisor } from '../accounts/advisors.ts';
import { type By, byOperator } from '../archive/archive.ts';
import { problem, requireFound } from '../problems.ts';
import { getUsableCarrier } from './carriers.ts';
import { healthOf } from './health.ts';
import { readStatus } from './status.ts';

export type TextingNumber = NumberRow;
/** Pace and campaign may be null: unlimited, and none noted. */
export type NumberChange = {
  carrier?: string | undefined;
  pace?: number | null | undefined;
  campaign?: string | null | undefined;
};

const hourMs = 60 * 60 * 1000;

export async function addNumber(
  deps: Deps,
  { number, advisor, carrier, ...rest }: NumberChange & { number: string; advisor: string; carrier: string },
  by: By = byOperator,
): Promise<TextingNumber> {
  const { advisorId, textingNumber } = await getAdvisor(deps, advisor);
  if (textingNumber)
    throw problem('conflict', `${advisor} has the number ${textingNumber}: release it first (assent numbers release).`);
  await setAdvisor(deps, advisorId, { textingNumber: number, ...(await settingsFor(deps, { carrier, ...rest })) }, by);
  return getNumber(deps, number);
}

/** With another carrier, texts that wait go by that one; what is in flight settles with the one before. */
export async function setNumber(
  deps: Deps,
  number: string,
  change: NumberChange,
  by: By = byOperator,
): Promise<TextingNumber> {
  const { advisorId } = await ownerOf(deps, number);
  await setAdvisor(deps, advisorId, await settingsFor(deps, change), by);
  await store.passDispatches(deps.db, [advisorId]);
  return getNumber(deps, number);
}

/** Its advisor can't text any more; texts that wait fail when their turn comes. */
export async function releaseNumber(deps: Deps, number: string, by: By = byOperator): Promise<void> {
  const { advisorId } = await ownerOf(deps, number);
  await setAdvisor(deps, advisorId, { textingNumber: null, carrierId: null, textingPace: null, campaign: null }, by);
}

export async function listNumbers(deps: Deps): Promise<TextingNumber[]> {
  return store.listNumbers(deps.db);
}

export async function checkNumber(deps: Deps, number: string) {
  const { advisor, advisorId, carrier, campaign } = await getNumber(deps, number);
  const { disabled, carrierId } = await ownerOf(deps, number);
  const record = await store.findNumberRecord(deps.db, advisorId, new Date(deps.clock.now().getTime() - hourMs));
  const overview = (await readStatus(deps)).find((each) => each.carrierId === carrierId);
  const health = healthOf(overview ?? { disabled: false, nodes: [] });
  const bound = health.all === 0 ? null : health.bound;
  const faults = [
    carrier === null && 'it has no carrier',
    health.state === 'disabled' && 'its carrier is disabled',
    disabled && 'the advisor’s account is disabled',
    carrier !== null && health.state === 'unknown' && 'no node has its carrier open',
    bound === 0 && 'no connection of its carrier is bound',
    ...health.faults.map((fault) => `its carrier can’t be opened: ${fault}`),
  ].filter((fault) => typeof fault === 'string');
  return {
    number,
    advisor,
    carrier,
    /** Connections that are bound, of all nodes; null if its kind has none. */
    bound,
    campaign,
    waiting: record.waiting,
    lastSentAt: record.lastSentAt,
    lastDeliveredAt: record.lastDeliveredAt,
    textsLastHour: record.texts,
    /** Of those, in percent; null if there were none. */
    errorsLastHour: record.texts === 0 ? null : Math.round((100 * record.failed) / record.texts),
    inDoubtLastHour: record.inDoubt,
    /** Why it can't text now; empty if it can. */
    faults: [...new Set(faults)],
  };
}

async function settingsFor(deps: Deps, { carrier, pace, campaign }: NumberChange): Promise<Partial<AdvisorSettings>> {
  return {
    ...(carrier === undefined ? {} : { carrierId: (await getUsableCarrier(deps, carrier)).carrierId }),
    ...(pace === undefined ? {} : { textingPace: pace }),
    ...(campaign === undefined ? {} : { campaign }),
  };
}

async function getNumber(deps: Deps, number: string): Promise<TextingNumber> {
  const numbers = await store.listNumbers(deps.db);
  return requireFound(
    numbers.find((row) => row.number === number),
    `No advisor has the number ${number}.`,
  );
}

async function ownerOf(deps: Deps, number: string): Promise<Advisor> {
  return requireFound(await findAdvisorByTextingNumber(deps.db, number), `No advisor has the number ${number}.`);
}
