import { setTimeout as pause } from 'node:timers/promises';
import type { Deps } from '../../deps.ts';
import type { EntrySpan } from '../../store/archive/archive.ts';
import type { Head, TextRow } from '../../store/archive/text-log.ts';
import * as store from '../../store/archive/text-log.ts';
import type { ConsentState } from '../../store/consent/consents.ts';
import type { HeldReason, TextKind } from '../../store/texting/texts.ts';
import { archive, byOperator } from './archive.ts';

const followPollMs = 300;
/** How many entries are read at once: a burst is shown in parts, and never held in memory whole. */
const followBatchMax = 1_000;

/** A text that went out or came in, or a change of consent; `text` is null once it is no longer kept. */
export type TextEvent = Pick<TextRow, 'advisorId' | 'advisorName' | 'number' | 'phone'> & {
  dateTime: Date;
} /** `heldReason`: why it is held now, and so hasn't gone out. */ & (
    | { event: 'out'; kind: TextKind; text: string | null; heldReason: HeldReason | null }
    /** `media`: how many pictures and the like came with it. */
    | { event: 'in'; text: string | null; media: number }
    | { event: 'consent'; from: ConsentState; to: ConsentState }
  );

/**
 * The last texts and changes of consent, of one advisor or of all, then each new one once it is committed, until aborted. Before an
 * advisor's first text, their book says that an operator reads them.
 */
export async function* followTexts(
  deps: Deps,
  which: { advisorId: number | null; last: number },
  until: AbortSignal,
): AsyncGenerator<TextEvent[]> {
  const known = new Set<number>();
  for await (const events of follow(deps, which, until)) {
    for (const { advisorId, event } of events) {
      if (event === 'consent' || known.has(advisorId)) continue;
      known.add(advisorId);
      const read = { advisorId, kind: 'text_read', memberId: null, meta: { what: 'texts followed' } } as const;
      await archive(deps, byOperator, { ...read, body: '{}' });
    }
    yield events;
  }
}

/** Entries are numbered without gaps in the order of commits, so none is missed and none comes twice. */
async function* follow(
  { db }: Pick<Deps, 'db'>,
  { advisorId, last }: { advisorId: number | null; last: number },
  until: AbortSignal,
): AsyncGenerator<TextEvent[]> {
  const heads = await store.listHeads(db, advisorId);
  const seen = new Map(heads.map((head) => [head.advisorId, head.lastNumber]));
  if (last > 0) yield (await store.listLastTexts(db, heads, last)).map(eventOf);
  while (!until.aborted) {
    const spans = unseen(seen, await store.listHeads(db, advisorId));
    if (spans.length === 0) {
      await pause(followPollMs, undefined, { signal: until }).catch(() => {});
      continue;
    }
    yield (await store.listTexts(db, spans)).map(eventOf);
    for (const span of spans) seen.set(span.advisorId, span.upTo);
  }
}

function unseen(seen: Map<number, number>, heads: Head[]): EntrySpan[] {
  const spans = heads
    .map(({ advisorId, lastNumber }) => ({ advisorId, after: seen.get(advisorId) ?? 0, upTo: lastNumber }))
    .filter(({ after, upTo }) => upTo > after);
  const share = Math.ceil(followBatchMax / Math.max(1, spans.length));
  return spans.map(({ advisorId, after, upTo }) => ({ advisorId, after, upTo: Math.min(upTo, after + share) }));
}

function eventOf(row: TextRow): TextEvent {
  const { advisorId, advisorName, number, kind, phone, heldReason, meta, body, dateTimeCreated } = row;
  const common = { advisorId, advisorName, number, phone, dateTime: dateTimeCreated };
  const facts = JSON.parse(meta);
  if (kind === 'consent') return { ...common, event: 'consent', from: facts.from, to: facts.to };
  return kind === 'text_out'
    ? { ...common, event: 'out', kind: facts.kind, text: body, heldReason }
    : { ...common, event: 'in', text: body, media: facts.media?.length ?? 0 };
}
