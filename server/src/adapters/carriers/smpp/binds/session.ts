import { setTimeout as pause } from 'node:timers/promises';
import { bindBody, readBindResponse } from '../codec/bodies.ts';
import { commands, isResponse, noBody, type Pdu, PduFault, responseTo } from '../codec/pdu.ts';
import { invalidCommand, ok, queueFull, statusName, tryAgain } from '../codec/statuses.ts';
import type { SmppHost, SmppSettings } from '../options.ts';
import { openWire } from './wire.ts';

export type Role = 'transceiver' | 'transmitter' | 'receiver';

/**
 * Who is told what became of a question, at once and not in a later turn: a receipt may be right behind the response. It is
 * answered or lost, once. Before that it may be late.
 */
type Asker = { answered(pdu: Pdu): void; late?(): void; lost(error: Error): void };

/** Why it ended, how many texts had no response by then, and whether the SMSC refused the bind: a wrong password, for example. */
export type SessionEnd = { why: string; inDoubt: number; isRefused: boolean };

/** One connection to one host, from its bind to its end. */
export type SmppSession = {
  /** The SMSC's name once it is bound. */
  bound: Promise<string>;
  closed: Promise<SessionEnd>;
  closedAt(): number | null;
  ask(command: number, body: Buffer, asker: Asker): void;
  /** The same as a promise: null if the response is late or lost. */
  request(command: number, body: Buffer): Promise<Pdu | null>;
  isFree(): boolean;
  /** Says goodbye, and ends within `stopMs`. */
  unbind(): Promise<void>;
};

/** Takes what the SMSC sends. If it throws, the SMSC is told to send it again. */
export type Receive = (pdu: Pdu, session: SmppSession) => Promise<Buffer>;

type PendingRequest = { command: number; asker: Asker; timer: NodeJS.Timeout };

const sequenceMax = 0x7fffffff;
/** More deliveries than these at once are refused for now, so that memory is bounded and answers are still read. */
const receivingMax = 1_000;
/** Nobody answers these. */
const unanswerable: number[] = [commands.alert_notification, commands.outbind];
const bindCommands = {
  transceiver: commands.bind_transceiver,
  transmitter: commands.bind_transmitter,
  receiver: commands.bind_receiver,
};

export function openSession(
  settings: SmppSettings,
  { host, role }: { host: SmppHost; role: Role },
  { receive, changed }: { receive: Receive; changed(): void },
): SmppSession {
  const { times } = settings;
  const pending = new Map<number, PendingRequest>();
  const bound = Promise.withResolvers<string>();
  const closed = Promise.withResolvers<SessionEnd>();
  bound.promise.catch(() => {});
  let sequence = 0;
  let receiving = 0;
  let closedAt: number | null = null;
  let isSilent = false;
  let isRefused = false;
  let heardAt = performance.now();
  let enquiring: NodeJS.Timeout | undefined;

  const wire = openWire(host, times.connectMs, {
    opened: () => void bind(),
    received,
    drained: changed,
    closed(why) {
      closedAt = performance.now();
      clearInterval(enquiring);
      const inDoubt = [...pending.values()].filter(({ command }) => command === commands.submit_sm).length;
      endPending(why);
      bound.reject(new Error(why));
      closed.resolve({ why, inDoubt, isRefused });
    },
  });

  function endPending(why: string): void {
    for (const sequence of pending.keys()) end(sequence)?.asker.lost(new Error(`No response: ${why}.`));
  }

  function end(sequence: number): PendingRequest | undefined {
    const asked = pending.get(sequence);
    clearTimeout(asked?.timer);
    pending.delete(sequence);
    return asked;
  }

  async function bind(): Promise<void> {
    const pdu = await request(bindCommands[role], bindBody(settings));
    if (!pdu) wire.close('no response to the bind');
    else if (pdu.status !== ok) {
      isRefused = true;
      wire.close(`the bind was refused: ${statusName(pdu.status)}`);
    } else {
      enquiring = setInterval(enquireIfQuiet, times.enquireMs);
      bound.resolve(readBindResponse(pdu));
    }
  }

  /** Half-open connections end here. */
  async function enquire(): Promise<void> {
    const asked = performance.now();
    void request(commands.enquire_link, noBody);
    await pause(times.enquireResponseMs, undefined, { ref: false });
    if (heardAt < asked) wire.close('no response to enquire_link');
  }

  function enquireIfQuiet(): void {
    if (performance.now() - heardAt >= times.enquireMs) void enquire();
  }

  /** The peer is slow, or gone: no more texts go to it until it is heard again. */
  function suspect(command: number): void {
    if (isSilent || command === commands.enquire_link) return;
    isSilent = true;
    void enquire();
  }

  function ask(command: number, body: Buffer, asker: Asker): void {
    sequence = sequence >= sequenceMax ? 1 : sequence + 1;
    pending.set(sequence, { command, asker, timer: setTimeout(late, times.responseMs, sequence) });
    if (closedAt !== null) endPending('the connection was closed');
    wire.write({ command, status: ok, sequence, body });
  }

  function request(command: number, body: Buffer): Promise<Pdu | null> {
    return new Promise((resolve) => {
      ask(command, body, { answered: resolve, late: () => resolve(null), lost: () => resolve(null) });
    });
  }

  function late(sequence: number): void {
    const asked = pending.get(sequence);
    if (!asked) return;
    asked.timer = setTimeout(() => end(sequence)?.asker.lost(new Error('No response.')), times.lateMs);
    suspect(asked.command);
    asked.asker.late?.();
  }

  function received(pdu: Pdu): void {
    heardAt = performance.now();
    if (isSilent) {
      isSilent = false;
      changed();
    }
    if (isResponse(pdu.command)) settle(pdu);
    else if (pdu.command === commands.enquire_link) respond(pdu, ok);
    else if (pdu.command === commands.deliver_sm || pdu.command === commands.data_sm) void take(pdu);
    else if (pdu.command === commands.unbind) {
      respond(pdu, ok);
      wire.close('the peer unbound');
    } else if (!unanswerable.includes(pdu.command))
      wire.write({ command: commands.generic_nack, status: invalidCommand, sequence: pdu.sequence, body: noBody });
  }

  /** A response to nothing, or of the wrong kind, is no response. */
  function settle(pdu: Pdu): void {
    const asked = pending.get(pdu.sequence);
    if (!asked || (pdu.command !== responseTo(asked.command) && pdu.command !== commands.generic_nack)) return;
    end(pdu.sequence);
    asked.asker.answered(pdu);
  }

  async function take(pdu: Pdu): Promise<void> {
    if (receiving >= receivingMax) return respond(pdu, queueFull);
    receiving += 1;
    try {
      respond(pdu, ok, await receive(pdu, session));
    } catch (error) {
      respond(pdu, error instanceof PduFault ? error.status : tryAgain);
    } finally {
      receiving -= 1;
    }
  }

  function respond({ command, sequence }: Pdu, status: number, body: Buffer = noBody): void {
    wire.write({ command: responseTo(command), status, sequence, body });
  }

  async function unbind(): Promise<void> {
    if (!enquiring) return wire.close('we stopped before it was bound');
    const ended = Promise.withResolvers<void>();
    const timer = setTimeout(() => wire.close('we unbound'), times.stopMs);
    ask(commands.unbind, noBody, { answered: () => ended.resolve(), lost: () => ended.resolve() });
    await ended.promise;
    clearTimeout(timer);
    wire.close('we unbound');
  }

  const session = {
    bound: bound.promise,
    closed: closed.promise,
    closedAt: () => closedAt,
    ask,
    request,
    isFree: () => !isSilent && wire.isFree(),
    unbind,
  };
  return session;
}
