import { randomUUID } from 'node:crypto';
import type { OutgoingText, Receipt } from '../../../../domain/ports.ts';
import type { SmppSettings } from '../options.ts';
import { acceptedId, plainId, receiptIds } from './message-ids.ts';
import type { ReadReceipt } from './receipt-texts.ts';

/** A text that we handed over, from its first part to its last receipt. */
export type TrackedText = {
  text: OutgoingText;
  parts: TrackedPart[];
  at: number;
  answeredAt: number | null;
  /** No further part will go out. */
  ended: boolean;
  /** The code of the first part that wasn't delivered. */
  code: string | null;
  /** Who waits for receipts to name every part whose response was lost. */
  whenNamed: (() => void) | null;
};

/** `asked` waits for its response; `lost` waits no longer, but nobody knows; `unsent` stays if it never goes out. */
type PartState = 'unsent' | 'asked' | 'lost' | 'accepted' | 'refused' | 'delivered' | 'undelivered';
/** `id` is the domain's spelling, `inResponse` the SMSC's, which is empty if it gave none. */
export type TrackedPart = { id: string | null; inResponse: string | null; state: PartState };

/** A receipt with the numbers of the text that it is about: `from` is ours. */
export type HeardReceipt = ReadReceipt & { from: string; to: string; reference: number | null };
export type TrackedPair = { text: TrackedText; part: TrackedPart };

export type Tracking = ReturnType<typeof makeTracking>;

/** A text takes a few hundred bytes here. The oldest are forgotten: then receipts match by the id that the domain has. */
const textsMax = 50_000;
/** An SMSC that didn't hear our response repeats a receipt, also of a text that we need no more. */
const forgottenIdsMax = 50_000;
const beginningLengthMin = 8;

export function makeTracking({ messageIds }: Pick<SmppSettings, 'messageIds'>) {
  const texts = new Set<TrackedText>();
  const byId = new Map<string, TrackedPair[]>();
  const byPhone = new Map<string, Set<TrackedText>>();
  const forgottenIds = new Set<string>();

  function forget(text: TrackedText): void {
    if (!texts.delete(text)) return;
    const ofPhone = byPhone.get(text.text.to);
    ofPhone?.delete(text);
    if (ofPhone?.size === 0) byPhone.delete(text.text.to);
    for (const { id } of text.parts) {
      if (id === null) continue;
      unname(text, plainId(id));
      forgottenIds.add(plainId(id));
    }
    for (const oldest of forgottenIds) {
      if (forgottenIds.size <= forgottenIdsMax) return;
      forgottenIds.delete(oldest);
    }
  }

  function unname(text: TrackedText, key: string): void {
    const others = byId.get(key)?.filter((each) => each.text !== text) ?? [];
    if (others.length > 0) byId.set(key, others);
    else byId.delete(key);
  }

  function name(tracked: TrackedPair, id: string): void {
    tracked.part.id = id;
    if (!texts.has(tracked.text)) return;
    const key = plainId(id);
    const others = byId.get(key)?.filter(({ part }) => part !== tracked.part) ?? [];
    byId.set(key, [...others, tracked]);
  }

  function ofPhone(receipt: HeardReceipt): TrackedText[] {
    return [...(byPhone.get(receipt.to) ?? []), ...(byPhone.get(receipt.from) ?? [])].filter((each) =>
      isBetween(each, receipt),
    );
  }

  return {
    begin(text: OutgoingText, parts: number): TrackedText {
      const tracked: TrackedText = {
        text,
        parts: new Array(parts).fill(null).map(() => ({ id: null, inResponse: null, state: 'unsent' })),
        at: performance.now(),
        answeredAt: null,
        ended: false,
        code: null,
        whenNamed: null,
      };
      const [oldest] = texts.size >= textsMax ? texts : [];
      if (oldest) forget(oldest);
      texts.add(tracked);
      byPhone.set(text.to, (byPhone.get(text.to) ?? new Set()).add(tracked));
      return tracked;
    },
    accepted(text: TrackedText, part: TrackedPart, inResponse: string): void {
      part.inResponse = inResponse;
      // Some SMSCs give no id. Then our reference alone tells which text a receipt is about.
      name({ text, part }, inResponse === '' ? `unnamed-${randomUUID()}` : acceptedId(inResponse, messageIds));
      // A receipt that was matched by our reference may have come first.
      if (part.state === 'asked' || part.state === 'lost') part.state = 'accepted';
      text.answeredAt = performance.now();
    },
    forget,
    /** Calls back when receipts have named every part whose response was lost. */
    whenNamed(text: TrackedText, call: () => void): void {
      if (text.parts.some(isUnnamed)) text.whenNamed = call;
      else call();
    },
    /** By its id, as far as this node remembers: the most likely spelling first, and of texts that share an id the latest. */
    find(receipt: HeardReceipt): TrackedPair | null {
      const named = receiptIds(receipt.messageId, messageIds).map((id) => byId.get(plainId(id)) ?? []);
      for (const pairs of named) {
        const between = pairs.findLast(({ text }) => isBetween(text, receipt));
        if (between) return between;
      }
      // In another spelling an id may be another text's, so the numbers have to agree.
      return named.flat().length === 1 ? (named[0]?.[0] ?? null) : null;
    },
    /** A text whose response was lost, by our reference or its wording. The receipt of another with that wording may be repeated. */
    findDoubt(receipt: HeardReceipt): TrackedPair | null {
      const isRepeated = receiptIds(receipt.messageId, messageIds).some((id) => forgottenIds.has(plainId(id)));
      if (receipt.reference === null && isRepeated) return null;
      const [text, another] = ofPhone(receipt).filter((each) => fits(each, receipt));
      const part = text?.parts.find(isUnnamed);
      if (!text || !part || another) return null;
      const [id = ''] = receiptIds(receipt.messageId, messageIds === 'auto' ? 'same' : messageIds);
      if (part.id === null) name({ text, part }, id);
      if (!text.parts.some(isUnnamed)) text.whenNamed?.();
      return { text, part };
    },
    /** Whether a response is awaited that this receipt may have overtaken. */
    mayBeEarly: (receipt: HeardReceipt) => ofPhone(receipt).some(isAwaited),
    /** The same, and the receipt repeats the beginning of that text: if the response never comes, it is about that text. */
    mayTell: (receipt: HeardReceipt) => ofPhone(receipt).some((text) => isAwaited(text) && beginsWith(text, receipt)),
  };
}

/** In either direction: some SMSCs leave the numbers of a receipt as they were in the text. */
function isBetween({ text }: TrackedText, { from, to }: HeardReceipt): boolean {
  return (text.from === from && text.to === to) || (text.from === to && text.to === from);
}

function isUnnamed({ id, inResponse, state }: TrackedPart): boolean {
  return id === null ? state === 'asked' || state === 'lost' : inResponse === '' && state === 'accepted';
}

function fits(tracked: TrackedText, receipt: HeardReceipt): boolean {
  const { text, parts } = tracked;
  const { reference } = receipt;
  if (!parts.some(isUnnamed)) return false;
  if (reference !== null) return text.reference !== undefined && text.reference % 0x10000 === reference;
  // A response that is still awaited will tell.
  return !isAwaited(tracked) && beginsWith(tracked, receipt);
}

function isAwaited({ parts }: TrackedText): boolean {
  return parts.some(({ state }) => state === 'asked');
}

function beginsWith({ text: { text } }: TrackedText, { beginning }: HeardReceipt): boolean {
  return (
    beginning !== null && beginning.length >= Math.min(beginningLengthMin, text.length) && text.startsWith(beginning)
  );
}

/** The id that the domain gets. One part alone says nothing about a text of several, so its id isn't the text's. */
export function domainId({ parts }: TrackedText): string {
  const id = parts[0]?.id ?? '';
  return parts.length === 1 ? id : `${id}/${parts.length}`;
}

/** What the parts say together: delivered when all are, undelivered when one can't be any more, and null until then. */
export function togetherOf({ parts, ended }: TrackedText): Receipt['status'] | null {
  if (parts.every(({ state }) => state === 'delivered')) return 'delivered';
  const failed = ({ state }: TrackedPart) =>
    state === 'undelivered' || state === 'refused' || (ended && state === 'unsent');
  return parts.some(failed) ? 'undelivered' : null;
}
