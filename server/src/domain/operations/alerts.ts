import { loopbackHosts } from '../../config.ts';
import { type Deps, inTransaction } from '../../deps.ts';
import { findLastVerification } from '../../store/archive/verifications.ts';
import * as store from '../../store/operations/alerts.ts';
import { archiveSetting } from '../accounts/settings.ts';
import { type By, byOperator } from '../archive/archive.ts';
import { thisNode } from '../carriers/status.ts';
import { problem, requireFound } from '../problems.ts';
import { isMailAddress } from '../shared/mail.ts';
import { newSigningSecret } from '../shared/secrets.ts';
import { dayMs, realTimeIn } from '../shared/time.ts';
import { type AlertNotice, alertMail } from './alert-mail.ts';
import { examineDeployment } from './doctor.ts';
import type { CheckFinding } from './findings.ts';
import { listNodes } from './nodes.ts';

/** Who is told, without the secret. */
type AlertTarget = Omit<store.AlertTargetRow, 'sealedSecret'>;
export type AlertTargetInput = Pick<AlertTarget, 'kind' | 'address'>;

const targetsMax = 20;
/** A carrier that reconnects within a minute wakes nobody. */
const toldAfterMs = 50_000;
const leaseMs = 60_000;
const sentAtOnceMax = 20;
const attemptsMax = 6;
const firstPauseMs = 30_000;
const keptMs = 90 * dayMs;
const shownMax = 200;
const faultLengthMax = 200;

/** The secret of a webhook is in this answer and nowhere else. */
export async function addAlertTarget(deps: Deps, { kind, address }: AlertTargetInput, by: By = byOperator) {
  checkTarget(deps, { kind, address });
  if ((await store.listAlertTargets(deps.db)).length >= targetsMax)
    throw problem('conflict', `There are ${targetsMax} already, and no more are allowed. Remove one first.`);
  const secret = kind === 'webhook' ? newSigningSecret() : null;
  return inTransaction(deps, async (deps) => {
    const sealedSecret = secret === null ? null : deps.sealer.seal(secret, ownerOf(address));
    const row = await store.insertAlertTarget(deps.db, { kind, address, sealedSecret }, deps.databaseClock.now());
    if (!row) throw problem('conflict', `${address} already gets alerts.`);
    const { targetId } = row;
    await archiveSetting(deps, by, { what: 'alert target added', of: { targetId }, values: { kind, address } });
    return { target: shown(row), secret };
  });
}

export async function removeAlertTarget(deps: Deps, targetId: number, by: By): Promise<void> {
  await inTransaction(deps, async (deps) => {
    const row = await store.deleteAlertTarget(deps.db, targetId);
    const { kind, address } = requireFound(row, `There is no alert target ${targetId}.`);
    await archiveSetting(deps, by, { what: 'alert target removed', of: { targetId }, values: { kind, address } });
  });
}

/** Seals every secret again with the first key; returns how many. */
export async function resealAlertSecrets(deps: Deps): Promise<number> {
  let resealed = 0;
  for (const { targetId, address, sealedSecret } of await store.listAlertTargets(deps.db)) {
    if (!sealedSecret) continue;
    const secret = deps.sealer.open(sealedSecret, ownerOf(address));
    await store.updateAlertSecret(deps.db, targetId, deps.sealer.seal(secret, ownerOf(address)));
    resealed += 1;
  }
  return resealed;
}

/** Everything that the page shows: who is told, what is wrong now, and what was sent. */
export async function readAlerts(deps: Pick<Deps, 'db' | 'sendMail'>) {
  const states = await store.listAlertStates(deps.db);
  return {
    targets: (await store.listAlertTargets(deps.db)).map(shown),
    open: states.filter(({ told }) => told).map(({ about, says, dateTimeBegun }) => ({ about, says, dateTimeBegun })),
    sent: await store.listAlertDeliveries(deps.db, shownMax),
    canMail: deps.sendMail !== null,
  };
}

/** Sends one at once, so that somebody sees whether it arrives. Returns why it didn't, or null. */
export async function testAlertTarget(deps: Deps, targetId: number): Promise<string | null> {
  const listed = (await store.listAlertTargets(deps.db)).find((each) => each.targetId === targetId);
  const target = requireFound(listed, `There is no alert target ${targetId}.`);
  const says = 'This is a test: nothing is wrong.';
  const realNow = deps.databaseClock.now();
  const fault = await sendTo(deps, target, {
    about: 'test',
    state: 'test',
    says,
    deliveryId: 0,
    dateTimeCreated: realNow,
  });
  await store.insertAlertTest(deps.db, { targetId, says, fault }, realNow);
  return fault;
}

/** Every minute, on each node that works: notes what began and what is over, once for all nodes, and tells it. */
export async function watch(deps: Deps): Promise<void> {
  await noteChanges(deps, await findConditions(deps));
  await sendDue(deps);
  await store.deleteAlertDeliveries(deps.db, realTimeIn(deps, -keptMs));
}

/** The state is in the database, so that a restart tells nobody twice, and of several nodes one tells. */
export async function noteChanges(deps: Deps, conditions: Condition[]): Promise<void> {
  const realNow = deps.databaseClock.now();
  const running = new Set((await listNodes(deps)).map(({ node }) => node));
  for (const { about, says } of conditions) {
    await store.insertAlertState(deps.db, { about, says, node: thisNode }, realNow);
    await inTransaction(deps, async ({ db }) => {
      if (await store.updateAlertTold(db, about, says, new Date(realNow.getTime() - toldAfterMs)))
        await store.insertAlertDeliveries(db, { about, state: 'begun', says }, realNow);
    });
  }
  for (const { about, node, says } of await store.listAlertStates(deps.db)) {
    if (conditions.some((each) => each.about === about) || (node !== thisNode && running.has(node))) continue;
    await inTransaction(deps, async ({ db }) => {
      if ((await store.deleteAlertState(db, about))?.told)
        await store.insertAlertDeliveries(db, { about, state: 'over', says }, realNow);
    });
  }
}

export async function sendDue(deps: Deps): Promise<void> {
  const realNow = deps.databaseClock.now();
  const leasedUntil = new Date(realNow.getTime() + leaseMs);
  const due = await store.claimAlertDeliveries(deps.db, { realNow, leasedUntil, limit: sentAtOnceMax });
  const targets = new Map((await store.listAlertTargets(deps.db)).map((each) => [each.targetId, each]));
  await Promise.all(
    due.map(async (delivery) => {
      const target = targets.get(delivery.targetId);
      if (!target) return;
      const fault = await sendTo(deps, target, delivery);
      const pauseMs = firstPauseMs * 2 ** delivery.attempts;
      const isLast = fault === null || delivery.attempts >= attemptsMax;
      const notBefore = isLast ? null : realTimeIn(deps, pauseMs);
      await store.updateAlertDelivery(deps.db, delivery.deliveryId, { fault, notBefore });
    }),
  );
}

/** Why it didn't arrive; null if it did. */
async function sendTo(deps: Deps, target: store.AlertTargetRow, notice: AlertNotice): Promise<string | null> {
  try {
    const fault = target.kind === 'mail' ? await mail(deps, target, notice) : await push(deps, target, notice);
    return fault?.slice(0, faultLengthMax) ?? null;
  } catch (error) {
    return (error as Error).message.slice(0, faultLengthMax);
  }
}

async function mail(
  { sendMail, config }: Deps,
  { address }: store.AlertTargetRow,
  notice: AlertNotice,
): Promise<string | null> {
  if (!sendMail) return 'ALERT_MAIL_COMMAND is not set.';
  await sendMail(alertMail(address, notice, config));
  return null;
}

/** The same event has the same id, however often it is sent. */
async function push(deps: Deps, target: store.AlertTargetRow, notice: AlertNotice): Promise<string | null> {
  const { deliveryId, about, state, says, dateTimeCreated: dateTime } = notice;
  if (!target.sealedSecret) return 'It has no secret.';
  const id = deliveryId === 0 ? `alert_test_${dateTime.getTime()}` : `alert_${deliveryId}`;
  const body = JSON.stringify({ id, type: `alert.${state}`, dateTime, data: { about, says } });
  const { status, response } = await deps.push({
    url: target.address,
    secrets: [deps.sealer.open(target.sealedSecret, ownerOf(target.address))],
    id,
    body,
    now: deps.databaseClock.now(),
    until: deps.signals.stopping.signal,
  });
  if (status !== null && status >= 200 && status < 300) return null;
  return status === null ? response : `It answered ${status}.`;
}

function checkTarget({ config, sendMail }: Deps, { kind, address }: AlertTargetInput): void {
  if (kind === 'mail') {
    if (!isMailAddress(address)) throw problem('invalid_request', `${address} is not an email address.`);
    if (!sendMail)
      throw problem('conflict', 'Mail is not set up: give the processes ALERT_MAIL_COMMAND, such as sendmail -t.');
    return;
  }
  const url = URL.parse(address);
  const isLoopback = config.environment === 'sandbox' && loopbackHosts.includes(url?.hostname ?? '');
  if (!url || url.username || url.password || url.hash || !(url.protocol === 'https:' || isLoopback))
    throw problem('invalid_request', 'The address must begin with https://, without a user, password or fragment.');
}

function shown({ sealedSecret: _, ...target }: store.AlertTargetRow): AlertTarget {
  return target;
}

function ownerOf(address: string): string {
  return `alert_targets/${address}`;
}

/** Something that somebody is told of. */
type Condition = { about: string; says: string };

/** A WAL file is archived every minute, so an older one means that nothing is backed up. */
const backupMaxAgeMs = dayMs;

/** What needs a person now: a process that sends nothing, a carrier that is down, an archive that doesn't verify, a backup that is old. */
export async function findConditions(deps: Deps): Promise<Condition[]> {
  const findings = await examineDeployment(deps);
  const verification = await findLastVerification(deps.db);
  const isBroken = verification?.verdict === 'altered' || verification?.verdict === 'incomplete';
  return [
    ...findings.flatMap(conditionOf),
    ...(isBroken
      ? [{ about: 'verification', says: `The last verification of the archive found ${verification.faults} faults.` }]
      : []),
  ];
}

function conditionOf({ check, state, says, at }: CheckFinding): Condition[] {
  const sentence = `${says[0]?.toUpperCase()}${says.slice(1)}.`;
  if (check.startsWith('carrier ') && state === 'failing')
    return [{ about: check.replace('carrier ', 'carrier:'), says: sentence }];
  if ((check === 'archive' || check === 'processes') && state === 'failing') return [{ about: check, says: sentence }];
  if (check !== 'WAL archive') return [];
  const isOld = at !== undefined && Date.now() - at.getTime() > backupMaxAgeMs;
  return state !== 'ok' || isOld ? [{ about: 'backup', says: sentence }] : [];
}
