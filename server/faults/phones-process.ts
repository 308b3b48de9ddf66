// An SMSC made of the `smpp` package, with all phones behind it. See phones.ts.
import smpp, { type Fields, type PDU, type Session } from 'smpp';
import { answerCalls } from '../test/support/far-ends.ts';
import type { Received } from './phones.ts';

const sessions = new Set<Session>();
const received: Received[] = [];
const times = new Map<string, number>();
/** Texts of several parts, until all have come. */
const parts = new Map<string, string[]>();
const answerMsMax = 5_000;
let ids = 0;

answerCalls({
  async listen() {
    const server = smpp.createServer({}, accept);
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    return (server.address() as { port: number }).port;
  },
  reply: (phone: string, to: string, text: string) =>
    deliver({ source_addr: digits(phone), destination_addr: digits(to), short_message: text }),
  has: (phone: string, text: string) => times.has(`${phone} ${text}`),
  count: () => received.length,
  received: () => received,
});

function accept(session: Session): void {
  session.on('error', () => {});
  session.on('close', () => sessions.delete(session));
  session.on('bind_transceiver', (pdu: PDU) => {
    sessions.add(session);
    session.send(pdu.response({ system_id: 'SMSC' }));
  });
  session.on('enquire_link', (pdu: PDU) => session.send(pdu.response()));
  session.on('unbind', (pdu: PDU) => {
    sessions.delete(session);
    session.send(pdu.response());
    session.close();
  });
  session.on('submit_sm', (pdu: PDU) => take(session, pdu));
}

function take(session: Session, pdu: PDU): void {
  const message_id = String(++ids);
  keep(pdu);
  session.send(pdu.response({ message_id }));
  const { destination_addr, source_addr, user_message_reference } = pdu;
  void deliver({
    source_addr: destination_addr,
    destination_addr: source_addr,
    esm_class: 4,
    user_message_reference,
    short_message: `id:${message_id} sub:001 dlvrd:001 stat:DELIVRD err:000 text:`,
  });
}

function keep(pdu: PDU): void {
  const { message, udh } = pdu.short_message as { message: string; udh?: Buffer[] };
  const [phone, textingNumber] = [`+${pdu.destination_addr}`, `+${pdu.source_addr}`];
  const text = whole(`${phone} ${textingNumber}`, String(message), udh);
  if (text === null) return;
  received.push({ phone, textingNumber, text });
  times.set(`${phone} ${text}`, (times.get(`${phone} ${text}`) ?? 0) + 1);
}

/** The text, once its last part has come. The element of a part is 0, 3, then its reference, the count and its place. */
function whole(between: string, message: string, udh: Buffer[] = []): string | null {
  const [element] = udh;
  if (!element) return message;
  const [reference, count = 1, place = 1] = element.subarray(-3);
  const key = `${between} ${reference}`;
  const so = parts.get(key) ?? [];
  so[place - 1] = message;
  parts.set(key, so);
  if (Array.from({ length: count }, (_, index) => so[index]).includes(undefined)) return null;
  parts.delete(key);
  return so.join('');
}

/** Whether it was taken. */
async function deliver(fields: Fields): Promise<boolean> {
  const all = [...sessions];
  const session = all[Math.floor(Math.random() * all.length)];
  if (!session) return false;
  const addresses = { source_addr_ton: 1, dest_addr_ton: 1 };
  return new Promise((resolve) => {
    const late = setTimeout(() => resolve(false), answerMsMax);
    session.deliver_sm({ ...addresses, ...fields }, ({ command_status }) => {
      clearTimeout(late);
      resolve(command_status === 0);
    });
  });
}

function digits(phone: string): string {
  return phone.slice(1);
}
