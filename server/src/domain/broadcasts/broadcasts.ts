import { type Deps, inTransaction } from '../../deps.ts';
import type { NewBroadcast } from '../../store/broadcasts/broadcasts.ts';
import * as store from '../../store/broadcasts/broadcasts.ts';
import { countAnswers } from '../../store/broadcasts/people.ts';
import type { NewRecipient, OutcomeCount, RecipientOutcome } from '../../store/broadcasts/recipients.ts';
import { countOutcomes, insertRecipients, listOutcomes, stopRecipients } from '../../store/broadcasts/recipients.ts';
import type { ConsentState } from '../../store/consent/consents.ts';
import { listRecipients } from '../../store/texting/recipients.ts';
import type { By } from '../archive/archive.ts';
import { problem } from '../problems.ts';
import { cutTo } from '../shared/paging.ts';
import { textingProblem } from '../texting/texts.ts';
import { archiveBroadcast } from './entries.ts';
import { textsFor, textsVersion } from './people.ts';

/** What became of a person's text: still to be accepted, refused, stopped, or the status that the text has. */
export const outcomes = [
  'waiting',
  'deferred',
  'refused',
  'stopped',
  'queued',
  'held',
  'sent',
  'delivered',
  'undelivered',
  'failed',
  'in_doubt',
] as const;
type BroadcastOutcome = (typeof outcomes)[number];

const recipientsPerPage = 100;
const broadcastsPerPage = 20;

type BroadcastInput = {
  groupId: number;
  text: string;
  /** Of the check that was shown. */
  version: string;
};

/** Settles who gets which text. From then on it is the server's: `sendBroadcasts` does it, whatever becomes of the browser. */
export async function startBroadcast(
  deps: Deps,
  advisorId: number,
  { groupId, text, version }: BroadcastInput,
  by: By,
): Promise<number> {
  const { groupName, pages } = await textsFor(deps, advisorId, groupId, text);
  const shown = textsVersion();
  let [people, refused] = [0, 0];
  let phone: string | null = null;
  for await (const texts of pages(deps)) {
    shown.add(texts);
    people += texts.length;
    refused += texts.filter((each) => each.refused).length;
    phone ??= texts.find((each) => !each.refused)?.phone ?? null;
  }
  if (shown.value() !== version) throw hasChanged();
  if (phone === null) throw problem('conflict', 'Nobody in the group can get this text.');
  const cannotText = textingProblem(await listRecipients(deps.db, [{ advisorId, phone }]));
  if (cannotText) throw cannotText;
  const started = { groupId, groupName, text, wordingVersion: null, people, refused };
  return inTransaction(deps, async (deps) => {
    const kept = textsVersion();
    async function* recipients() {
      for await (const texts of pages(deps)) {
        kept.add(texts);
        yield texts.map(({ refused: code, missing: _, ...each }) => ({ ...each, code }));
      }
      if (kept.value() !== version) throw hasChanged();
    }
    return beginBroadcast(deps, advisorId, started, recipients(), by);
  });
}

function hasChanged() {
  return problem('conflict', 'The group has changed since you looked at the texts. Look at them again, and send.');
}

/** Inside a transaction. */
export async function beginBroadcast(
  deps: Deps,
  advisorId: number,
  started: Omit<NewBroadcast, 'actor' | 'traceId'>,
  recipients: Iterable<NewRecipient[]> | AsyncIterable<NewRecipient[]>,
  by: By,
): Promise<number> {
  const broadcast = { ...started, actor: by.actor, traceId: by.traceId };
  const broadcastId = await store.insertBroadcast(deps.db, advisorId, broadcast, deps.clock.now());
  for await (const page of recipients) await insertRecipients(deps.db, advisorId, broadcastId, page);
  // Last, since it locks the archive: until then nothing is held that a STOP needs.
  await archiveBroadcast(deps, by, 'started', advisorId, { broadcastId, ...started });
  return broadcastId;
}

/** Once this returns, nobody else's text is accepted: a batch that is being sent is waited for. One that has ended stays as it is. */
export async function stopBroadcast(deps: Deps, advisorId: number, broadcastId: number, by: By): Promise<void> {
  await inTransaction(deps, async (deps) => {
    const stopped = await store.stopBroadcast(deps.db, advisorId, broadcastId, deps.clock.now());
    if (!stopped) {
      await getBroadcast(deps, advisorId, broadcastId);
      return;
    }
    await stopRecipients(deps.db, advisorId, broadcastId);
    await archiveBroadcast(deps, by, 'stopped', advisorId, stopped);
  });
}

/** Stops every text to a group, whoever's it is. Returns how many there were. */
export async function stopAllBroadcasts(deps: Deps, by: By): Promise<number> {
  const sending = await store.listSending(deps.db);
  for (const { advisorId, broadcastId } of sending) await stopBroadcast(deps, advisorId, broadcastId, by);
  return sending.length;
}

/** The latest first. */
export async function listBroadcasts(deps: Deps, advisorId: number, before: number | null) {
  const asked = { before, now: deps.clock.now(), limit: broadcastsPerPage + 1 };
  const rows = await store.listBroadcasts(deps.db, advisorId, asked);
  const { page, last } = cutTo(broadcastsPerPage, rows);
  return { data: page, next: last?.broadcastId ?? null };
}

/** With how many people each outcome has; of those who were asked for their consent also what each answered, by their state. */
export async function getBroadcast(deps: Deps, advisorId: number, broadcastId: number) {
  const now = deps.clock.now();
  const broadcast = await store.findBroadcast(deps.db, advisorId, broadcastId, now);
  if (!broadcast) throw problem('not_found', 'There is no such text to a group on the advisor’s account.');
  const counts: Partial<Record<BroadcastOutcome, number>> = {};
  for (const row of await countOutcomes(deps.db, advisorId, broadcastId, now)) {
    const outcome = outcomeOf(row);
    counts[outcome] = (counts[outcome] ?? 0) + row.people;
  }
  const answers: Partial<Record<ConsentState, number>> = {};
  if (broadcast.wordingVersion !== null)
    for (const { state, people } of await countAnswers(deps.db, advisorId, broadcastId)) answers[state] = people;
  return { ...broadcast, counts, answers };
}

export async function listBroadcastRecipients(
  deps: Deps,
  advisorId: number,
  broadcastId: number,
  { after = 0, onlyTrouble = false }: { after?: number | undefined; onlyTrouble?: boolean | undefined },
) {
  const asked = { after, onlyTrouble, limit: recipientsPerPage + 1 };
  const { page, last } = cutTo(recipientsPerPage, await listOutcomes(deps.db, advisorId, broadcastId, asked));
  const now = deps.clock.now();
  return { data: page.map((row) => recipientOf(row, now)), next: last?.place ?? null };
}

/** `code` is why they got none, and `deliverAfter` when it goes out, if it waits for their day. */
function recipientOf(row: RecipientOutcome, now: Date) {
  const { state, status, code, failureCode, deferredUntil, ...rest } = row;
  const isDeferred = deferredUntil !== null && deferredUntil > now;
  const outcome = outcomeOf({ state, status, isDeferred });
  return { ...rest, outcome, code: code ?? failureCode, deliverAfter: outcome === 'deferred' ? deferredUntil : null };
}

function outcomeOf({ state, status, isDeferred }: Omit<OutcomeCount, 'people'>): BroadcastOutcome {
  if (state === 'waiting') return isDeferred ? 'deferred' : 'waiting';
  if (state !== 'accepted') return state;
  // A text that is with its carrier is on its way, as one that waits for it.
  if (status === 'queued' || status === 'submitting') return isDeferred ? 'deferred' : 'queued';
  return outcomes.find((outcome) => outcome === status) ?? 'queued';
}
