import { type Deps, onReserved } from '../deps.ts';
import { forgetExpiredResponses } from '../domain/access/idempotency.ts';
import { forgetExpiredTokens } from '../domain/access/oauth-tokens.ts';
import { forgetRetiredSigningKeys } from '../domain/access/signing-keys.ts';
import { lookUpDue } from '../domain/address-book/crm-lookups.ts';
import { forgetOldImports, runImports } from '../domain/address-book/file-imports.ts';
import { clearDeletedGroups } from '../domain/address-book/groups.ts';
import { deletes } from '../domain/address-book/pending-deletes.ts';
import { checkpointDeliverer, type DeliveryFault } from '../domain/archive/checkpoint-deliveries.ts';
import { signArchive } from '../domain/archive/signing.ts';
import { sendBroadcasts } from '../domain/broadcasts/sending.ts';
import { noCalls, withCalls } from '../domain/carriers/calls.ts';
import { forgetStatus, writeStatus } from '../domain/carriers/status.ts';
import { fetchDueMedia, type MediaKey } from '../domain/consent/reply-media.ts';
import { decisions } from '../domain/consent/review-decisions.ts';
import type { Dispatcher } from '../domain/delivery/dispatcher.ts';
import { doubtAsker } from '../domain/delivery/doubts.ts';
import { shortenWaits } from '../domain/delivery/outbox-maintenance.ts';
import { unreceiptedArchiver } from '../domain/delivery/receipts.ts';
import { sendDueMessages } from '../domain/messages/due-messages.ts';
import { watch } from '../domain/operations/alerts.ts';
import { forgetOldTraffic } from '../domain/operations/traffic.ts';
import type { CrmFault } from '../domain/ports.ts';
import { indexArchive } from '../domain/record-keeping/archive-index.ts';
import { forgetOldExports, makeExports } from '../domain/record-keeping/exports.ts';
import { reconcileDue } from '../domain/record-keeping/reconciliation.ts';
import { disposeDue } from '../domain/record-keeping/retention.ts';
import { forgetOld } from '../domain/shared/feeds.ts';
import { doDueActions } from '../domain/shared/pending-actions.ts';
import { forgetExpiredSignIns } from '../domain/sign-in/sign-ins.ts';
import { sampleForReview } from '../domain/supervision/review-samples.ts';
import { forgetOldLookups, lookUpNumbers } from '../domain/texting/number-lookups.ts';
import { type Deliverer, deliverer } from '../domain/webhooks/deliverer.ts';
import { forgetOldDeliveries } from '../domain/webhooks/deliveries.ts';
import { removeLapsed } from '../domain/webhooks/listening.ts';
import type { Log } from '../log.ts';
import { type Job, type RunningJobs, repeat, together } from './repeat.ts';
import { processJobsOf } from './requests.ts';

const minuteMs = 60 * 1000;

/** Runs a node's background jobs. */
export function startJobs(deps: Deps, log: Log, texting: Dispatcher): RunningJobs {
  texting.start();
  const webhooks = deliverer(deps, log);
  const running = jobsOf(deps, log, { texting, webhooks }).map((job) => repeat(deps, job, log));
  const all = together([texting, ...running]);
  return {
    async stop(): Promise<void> {
      await all.stop();
      await webhooks.settled();
      await forgetStatus(deps).catch((err) => log.warn({ err }, 'the status of carriers can’t be removed'));
    },
  };
}

type Parts = { texting: Dispatcher; webhooks: Deliverer };

/** A node's background jobs. Each is one call to the domain and never runs twice at a time on one node. */
export function jobsOf(deps: Deps, log: Log, { texting, webhooks }: Parts): Job[] {
  const reportFault = (err: unknown) => log.error({ err }, 'a scheduled message was skipped');
  const reportBroadcast = (err: unknown) => log.error({ err }, 'a text to a group was skipped');
  const reportLookup = ({ message: reason }: CrmFault, advisorId: number) =>
    log.warn({ advisorId, reason }, 'a number could not be looked up in a CRM');
  const reportMedia = ({ advisorId, replyNumber }: MediaKey, reason: string) =>
    log.warn({ advisorId, replyNumber, reason }, 'media of a reply could not be fetched');
  const reportNumber = (carrier: string, reason: string) =>
    log.warn({ carrier, reason }, 'a number could not be looked up with its carrier');
  const reportImport = (err: unknown) => log.error({ err }, 'a contact import failed');
  const reportAction = (err: unknown) => log.error({ err }, 'a pending action failed; it will be retried');
  const deliverNext = checkpointDeliverer(deps);
  return [
    { name: 'delete expired responses', everyMs: 60 * minuteMs, run: () => forgetExpiredResponses(deps) },
    { name: 'delete expired tokens', everyMs: minuteMs, run: () => forgetExpiredTokens(deps) },
    { name: 'delete expired sign-ins', everyMs: minuteMs, run: () => forgetExpiredSignIns(deps) },
    { name: 'delete retired keys', everyMs: minuteMs, run: () => forgetRetiredSigningKeys(deps) },
    { name: 'send due messages', everyMs: 250, run: () => sendDueMessages(deps, reportFault) },
    { name: 'send to groups', everyMs: 250, run: () => sendBroadcasts(deps, reportBroadcast) },
    { name: 'delete old events', everyMs: 10 * minuteMs, run: () => forgetOld(deps, 'events') },
    { name: 'delete old changes', everyMs: 10 * minuteMs, run: () => forgetOld(deps, 'contact_changes') },
    { name: 'sign the archive', everyMs: 2_000, run: () => sign(deps, log) },
    { name: 'index the archive', everyMs: 5_000, run: () => indexArchive(deps) },
    { name: 'make exports', everyMs: 1_000, run: () => makeExports(deps) },
    { name: 'delete old exports', everyMs: 10 * minuteMs, run: () => forgetOldExports(deps) },
    { name: 'deliver checkpoints', everyMs: 5_000, run: () => deliverCheckpoint(log, deliverNext) },
    { name: 'dispose of records', everyMs: minuteMs, run: () => disposeDue(deps) },
    { name: 'reconcile', everyMs: minuteMs, run: () => reconcileDue(deps) },
    { name: 'draw the daily sample', everyMs: 5 * minuteMs, run: () => sampleForReview(deps) },
    { name: 'delete old traffic', everyMs: 60 * minuteMs, run: () => forgetOldTraffic(deps) },
    { name: 'watch for alerts', everyMs: minuteMs, run: () => watch(deps) },
    { name: 'delete old deliveries', everyMs: 10 * minuteMs, run: () => forgetOldDeliveries(deps) },
    { name: 'run pending deletes', everyMs: 1_000, run: () => doDueActions(deps, deletes, reportAction) },
    { name: 'run pending decisions', everyMs: 1_000, run: () => doDueActions(deps, decisions, reportAction) },
    { name: 'import contacts', everyMs: 500, run: () => runImports(deps, reportImport) },
    { name: 'delete old imports', everyMs: 60 * minuteMs, run: () => forgetOldImports(deps) },
    { name: 'clear deleted groups', everyMs: 1_000, run: () => clearDeletedGroups(deps) },
    { name: 'ask about texts in doubt', everyMs: 15_000, run: doubtAsker(onReserved(deps), log) },
    { name: 'archive texts without a receipt', everyMs: minuteMs, run: unreceiptedArchiver(deps) },
    { name: 'shorten waits', everyMs: 5_000, run: () => shortenWaits(deps) },
    { name: 'write carrier status', everyMs: 3_000, run: async () => writeStatus(deps, await statusOf(deps, texting)) },
    { name: 'fetch media of replies', everyMs: 1_000, run: () => fetchDueMedia(deps, reportMedia) },
    { name: 'look up numbers', everyMs: 1_000, run: () => lookUpNumbers(deps, reportNumber) },
    { name: 'delete old lookups', everyMs: 60 * minuteMs, run: () => forgetOldLookups(deps) },
    { name: 'look up in CRMs', everyMs: 500, run: () => lookUpDue(deps, reportLookup) },
    { name: 'deliver webhooks', everyMs: 250, run: () => webhooks.tick() },
    ...(deps.sandboxClock ? [{ name: 'remove lapsed webhooks', everyMs: 10_000, run: () => removeLapsed(deps) }] : []),
    ...processJobsOf(deps, texting.follow),
  ];
}

/** Our own texts, and the log's highest level: someone must investigate. */
async function sign(deps: Deps, log: Log): Promise<void> {
  await signArchive(deps);
  const { signing, copies, memory } = deps.signals.archive;
  if (signing)
    log.fatal(
      { fault: signing },
      'the archive is not what was signed, or this node can’t tell: nothing more is signed',
    );
  if (copies) log.fatal({ fault: copies }, 'the external checkpoint copies were changed: nothing more is copied');
  if (memory) log.fatal({ fault: memory }, 'this node can’t remember what it signs once it restarts');
}

async function deliverCheckpoint(log: Log, next: () => Promise<DeliveryFault | null>): Promise<void> {
  const fault = await next();
  if (fault) log.warn(fault, 'a checkpoint was not delivered');
}

/** How this node's carriers do, and which can't be opened. */
export async function statusOf(
  { carriers }: Pick<Deps, 'carriers'>,
  texting: Dispatcher,
): ReturnType<Dispatcher['status']> {
  const faults = carriers.faults().map(({ carrierId, name, why }) => {
    return { carrierId, status: { name, lastFault: why, inFlight: 0, misroutedReplies: 0, carrier: null } };
  });
  const status = await texting.status();
  const open = status
    .filter(({ carrierId }) => !faults.some((fault) => fault.carrierId === carrierId))
    .map(({ carrierId, status }) => {
      return { carrierId, status: withCalls(status, carriers.find(carrierId)?.calls ?? noCalls()) };
    });
  return [...open, ...faults];
}
