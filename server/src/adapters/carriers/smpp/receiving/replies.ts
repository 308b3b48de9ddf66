import { setTimeout as pause } from 'node:timers/promises';
import type { Inbound, IncomingReply } from '../../../../domain/ports.ts';
import type { Counts } from '../../shared/counts.ts';
import type { SmppSession } from '../binds/session.ts';
import { readText } from '../codec/alphabets.ts';
import type { ShortMessage } from '../codec/bodies.ts';
import { numberIn, tags } from '../codec/fields.ts';
import type { SmppSettings } from '../options.ts';
import { makeJoiner, type PartialText, type PartPosition } from './joining.ts';
import { makeRepeats } from './repeats.ts';

export type Replies = ReturnType<typeof makeReplies>;

const headerFollows = 0x40;
const handingsMax = 7;
const firstPauseMs = 50;

export function makeReplies(settings: SmppSettings, counts: Counts, inbound: () => Inbound) {
  const { times, now } = settings;
  const repeats = makeRepeats(now);
  const joiner = makeJoiner((joining) => void giveUp(joining), now);
  const givenUp = new WeakSet<PartialText>();

  async function handOn(reply: IncomingReply): Promise<void> {
    try {
      await inbound().reply(reply);
    } catch (error) {
      counts.replies.failed += 1;
      throw error;
    }
    counts.replies.taken += 1;
    if (reply.incomplete) counts.replies.incomplete += 1;
  }

  async function receiveWhole(
    { octets, dataCoding }: Pick<ShortMessage, 'octets' | 'dataCoding'>,
    numbers: { from: string; to: string },
    session: SmppSession,
  ): Promise<void> {
    const delivery = repeats.begin({ ...numbers, octets }, session);
    const text = readText(octets, dataCoding, settings);
    let taken = false;
    try {
      await handOn({ carrierMessageId: delivery.id, ...numbers, text, sentAt: delivery.sentAt });
      taken = true;
    } finally {
      delivery.answered(taken);
    }
  }

  /** An SMSC that sends one at a time sends no further part before our response, so the response waits only a moment. */
  async function receivePart(joining: PartialText, number: number): Promise<void> {
    if (joining.parts.size === joining.place.of) return handOnJoined(joining);
    const held = pause(times.partHoldMs, 'held', { ref: false });
    if ((await Promise.race([joining.taken.promise, held])) !== 'held') return;
    joining.refused.add(number);
    throw new Error('Parts are missing.');
  }

  function handOnJoined(joining: PartialText): Promise<void> {
    joining.handing ??= handOn(replyOf(joining, settings)).then(
      () => joiner.end(joining),
      (error) => {
        joining.handing = null;
        throw error;
      },
    );
    return joining.handing;
  }

  /** If it can't be handed on, the SMSC still repeats its parts: they were never confirmed. */
  async function giveUp(joining: PartialText): Promise<void> {
    givenUp.add(joining);
    for (let attempt = 0; attempt < handingsMax; attempt++) {
      try {
        return await handOnJoined(joining);
      } catch {
        await pause(firstPauseMs * 2 ** attempt);
      }
    }
    joiner.drop(joining);
  }

  return {
    /** Resolves once the domain has taken the text; a part, once it has taken the whole. Throws if the SMSC should repeat it. */
    async receive(message: ShortMessage, numbers: { from: string; to: string }, session: SmppSession): Promise<void> {
      const { octets, place } = partOf(message, numbers);
      if (!place) return receiveWhole({ ...message, octets }, numbers, session);
      const joining = joiner.add(place, { octets, dataCoding: message.dataCoding }, numbers);
      if (joining !== 'taken') await receivePart(joining, place.number);
    },
    /** Hands on what waited for missing parts for too long. */
    giveUpOld(): void {
      for (const joining of joiner.all())
        if (!givenUp.has(joining) && now().getTime() - joining.at.getTime() > times.joinMs) void giveUp(joining);
    },
  };
}

/** Octets are joined before they are read: a character may be split between parts. */
function replyOf({ id, from, to, at, parts, place }: PartialText, settings: SmppSettings): IncomingReply {
  const inOrder = [...parts].sort(([one], [other]) => one - other);
  const reply: IncomingReply = { carrierMessageId: id, from, to, text: '', sentAt: at };
  let run: Buffer[] = [];
  for (const [index, [number, { octets, dataCoding }]] of inOrder.entries()) {
    run.push(octets);
    const [nextNumber, next] = inOrder[index + 1] ?? [];
    if (nextNumber === number + 1 && next?.dataCoding === dataCoding) continue;
    reply.text += readText(Buffer.concat(run), dataCoding, settings);
    run = [];
  }
  if (parts.size < place.of) reply.incomplete = { received: parts.size, of: place.of };
  return reply;
}

/** Its octets without the header, and its place in a long text, by the header or the parameters, if it has one. */
function partOf(
  { esmClass, octets, parameters }: ShortMessage,
  { from, to }: { from: string; to: string },
): { octets: Buffer; place: PartPosition | null } {
  const headerBytes = esmClass & headerFollows ? (octets[0] ?? 0) + 1 : 0;
  const found = concatenationIn(octets.subarray(1, headerBytes)) ?? {
    reference: `sar ${numberIn(parameters, tags.sar_msg_ref_num)}`,
    number: numberIn(parameters, tags.sar_segment_seqnum) ?? 0,
    of: numberIn(parameters, tags.sar_total_segments) ?? 0,
  };
  const { reference, number, of } = found;
  const isPart = of > 1 && number >= 1 && number <= of && of <= 255;
  const place = isPart ? { key: `${from} ${to} ${reference} ${of}`, number, of } : null;
  return { octets: octets.subarray(headerBytes), place };
}

const concatenation8 = 0x00;
const concatenation16 = 0x08;

function concatenationIn(header: Buffer): { reference: string; number: number; of: number } | null {
  for (let at = 0; at + 2 <= header.length; ) {
    const [element, length] = [header[at], header[at + 1] ?? 0];
    const data = header.subarray(at + 2, at + 2 + length);
    at += 2 + length;
    const isShort = element === concatenation8 && data.length === 3;
    if (!isShort && !(element === concatenation16 && data.length === 4)) continue;
    const [of = 0, number = 0] = data.subarray(-2);
    return { reference: `${element} ${data.subarray(0, -2).toString('hex')}`, number, of };
  }
  return null;
}
