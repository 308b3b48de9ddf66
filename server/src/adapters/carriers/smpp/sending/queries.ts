import type { Bind } from '../binds/bind.ts';
import { writeAddress } from '../codec/addresses.ts';
import { queryBody, readQueryResponse } from '../codec/bodies.ts';
import { commands } from '../codec/pdu.ts';
import { ok } from '../codec/statuses.ts';
import type { SmppSettings } from '../options.ts';
import { readState } from './receipt-texts.ts';
import type { Receipts } from './receipts.ts';
import type { TrackedPart, TrackedText, Tracking } from './tracking.ts';

/** How many to query at a time, and how often for each part. */
const queriesMax = 50;
const askedMax = 3;

/** Asks about texts whose receipts are overdue. Call `ask` now and then. */
export function makeQueries(
  { settings, tracking, receipts }: { settings: SmppSettings; tracking: Tracking; receipts: Receipts },
  transmitters: Bind[],
): { ask(): Promise<void> } {
  const asked = new WeakMap<TrackedPart, { at: number; times: number }>();

  function* overdue(afterMs: number): Generator<{ text: TrackedText; part: TrackedPart }> {
    for (const text of tracking.all()) {
      // They are in the order of their time.
      if (performance.now() - text.at < afterMs) return;
      for (const part of text.parts) {
        const before = asked.get(part) ?? { at: text.at, times: 0 };
        if (part.state !== 'accepted' || before.times >= askedMax || performance.now() - before.at < afterMs) continue;
        asked.set(part, { at: performance.now(), times: before.times + 1 });
        yield { text, part };
      }
    }
  }

  async function query(text: TrackedText, part: TrackedPart): Promise<void> {
    const session = transmitters.find((bind) => bind.room() > 0)?.session();
    if (!session || !part.inResponse) return;
    const source = writeAddress(text.text.from, settings.source, settings);
    const pdu = await session.request(commands.query_sm, queryBody(part.inResponse, source));
    if (!pdu || pdu.status !== ok || pdu.command === commands.generic_nack) return;
    const { state, errorCode } = readQueryResponse(pdu);
    const said = readState(state);
    if (!said || part.id === null) return;
    const code = errorCode === 0 ? said.name : `${said.name} ${String(errorCode).padStart(3, '0')}`;
    await receipts.settle({ text, part }, { state: said.state, code });
  }

  return {
    async ask() {
      if (settings.queryAfterMs === null) return;
      const some = overdue(settings.queryAfterMs).take(queriesMax).toArray();
      await Promise.allSettled(some.map(({ text, part }) => query(text, part)));
    },
  };
}
