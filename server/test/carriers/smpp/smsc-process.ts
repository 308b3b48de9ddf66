// An SMSC made of the `smpp` package, in a process of its own: another codec, and another event loop. A test talks to it
// through messages; see smsc.ts.
import { appendFileSync, existsSync, readFileSync } from 'node:fs';
import { setTimeout as pause } from 'node:timers/promises';
import smpp, { type Fields, type PDU, type Session } from 'smpp';
import { answerCalls } from '../../support/far-ends.ts';
import type { Rule, SubmittedText } from './smsc.ts';

const sessions = new Map<Session, string>();
const submitted: SubmittedText[] = [];
const refusedBinds: number[] = [];
let rules: Rule[] = [];
let ids = 0;
/** Where what it takes is written down, and what of it was confirmed since this process started. */
let journal: string | undefined;
const confirmed = new Set<string>();
const confirmEveryMs = 200;

const calls: Record<string, (...args: never[]) => unknown> = {
  async listen(options: Fields, port: number, file?: string) {
    journal = file;
    if (journal) setInterval(() => void confirmAll(), confirmEveryMs);
    const server = smpp.createServer(options, accept);
    await new Promise<void>((resolve) => server.listen(port, '127.0.0.1', resolve));
    return (server.address() as { port: number }).port;
  },
  behave(some: Rule[]) {
    rules = some;
  },
  refuseBinds(statuses: number[]) {
    refusedBinds.push(...statuses);
  },
  submitted: () => submitted,
  binds: () => [...sessions.values()],
  deliver: (fields: Fields, command: 'deliver_sm' | 'data_sm') => deliver(fields, command),
  drop() {
    for (const session of sessions.keys()) session.destroy();
  },
};

function accept(session: Session): void {
  session.on('error', () => {});
  session.on('close', () => {
    sessions.delete(session);
    // What had no answer may be lost.
    confirmed.clear();
  });
  for (const role of ['transceiver', 'transmitter', 'receiver'])
    session.on(`bind_${role}`, (pdu: PDU) => {
      const status = refusedBinds.shift() ?? 0;
      session.send(pdu.response(status ? { command_status: status } : { system_id: 'SMSC' }));
      if (!status) sessions.set(session, role);
    });
  session.on('enquire_link', (pdu: PDU) => session.send(pdu.response()));
  session.on('unbind', (pdu: PDU) => {
    session.send(pdu.response());
    session.close();
  });
  session.on('submit_sm', (pdu: PDU) => void take(session, pdu));
}

async function take(session: Session, pdu: PDU): Promise<void> {
  const { short_message, message_payload, ...fields } = pdu as unknown as Fields & {
    short_message?: { message: string | Buffer; udh?: Buffer[] };
    message_payload?: { message: string | Buffer };
  };
  const text = message_payload?.message ?? short_message?.message ?? '';
  const index = rules.findIndex(
    ({ to, times = 1, every = 1 }) =>
      (to ?? pdu.destination_addr) === pdu.destination_addr && times > 0 && (submitted.length + 1) % every === 0,
  );
  const rule = rules[index] ?? {};
  submitted.push({
    fields: JSON.parse(JSON.stringify(fields)),
    text: String(text),
    header: short_message?.udh?.map((element) => element.toString('hex')) ?? [],
    status: rule.status ?? 0,
  });
  if (rules[index]) rules[index] = { ...rule, times: (rule.times ?? 1) - 1 };
  const message_id = rule.messageId ?? (journal ? `${process.pid}-${++ids}` : `${++ids}`);
  if (journal) {
    const { destination_addr: to, source_addr: from, user_message_reference: reference } = pdu;
    appendFileSync(journal, `${JSON.stringify({ id: message_id, to, from, reference })}\n`);
  }
  if (rule.receiptFirst) void receipt(pdu, rule.receipt ?? message_id);
  if (rule.pauseMs) await pause(rule.pauseMs);
  if (rule.drop) session.destroy();
  if (rule.drop || rule.silent) return;
  session.send(pdu.response(rule.status ? { command_status: rule.status } : { message_id }));
  if (rule.receipt && !rule.receiptFirst) await receipt(pdu, rule.receipt);
}

/** Receipts for everything in the journal, also from before this process: a receipt that comes twice changes nothing. */
async function confirmAll(): Promise<void> {
  if (!journal || !existsSync(journal) || sessions.size === 0) return;
  for (const line of readFileSync(journal, 'utf8').split('\n').filter(Boolean)) {
    const { id, to, from, reference } = JSON.parse(line);
    if (confirmed.has(id)) continue;
    confirmed.add(id);
    const short_message = `id:${id} sub:001 dlvrd:001 stat:DELIVRD err:000 text:`;
    const addresses = { source_addr_ton: 1, source_addr: to, dest_addr_ton: 1, destination_addr: from };
    const fields = { ...addresses, esm_class: 4, short_message, user_message_reference: reference };
    // A receipt that wasn't taken comes again.
    void deliver(fields, 'deliver_sm').then(
      (status) => status !== 0 && confirmed.delete(id),
      () => confirmed.delete(id),
    );
  }
}

function receipt(pdu: PDU, text: string): Promise<number> {
  const short_message = text.includes(':') ? text : `id:${text} sub:001 dlvrd:001 stat:DELIVRD err:000 text:`;
  return deliver(
    {
      source_addr_ton: 1,
      source_addr: pdu.destination_addr,
      dest_addr_ton: 1,
      destination_addr: pdu.source_addr,
      esm_class: 4,
      short_message,
    },
    'deliver_sm',
  );
}

/** The status of the answer. */
async function deliver(fields: Fields, command: 'deliver_sm' | 'data_sm'): Promise<number> {
  const [session] = [...sessions].find(([, role]) => role !== 'transmitter') ?? [];
  if (!session) throw new Error('Nobody is bound.');
  const revived = Object.fromEntries(Object.entries(fields).map(([name, value]) => [name, revive(value)]));
  const answer = await new Promise<PDU>((resolve) => session[command](revived, resolve));
  return answer.command_status;
}

/** Octets come as {hex}. */
function revive(value: unknown): unknown {
  if (typeof value !== 'object' || value === null) return value;
  if ('hex' in value) return Buffer.from(String(value.hex), 'hex');
  return Object.fromEntries(Object.entries(value).map(([name, each]) => [name, revive(each)]));
}

answerCalls(calls);
