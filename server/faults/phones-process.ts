// An SMSC made of the `smpp` package, with all phones behind it. See phones.ts.
import smpp, { type Fields, type PDU, type Session } from 'smpp';
import { answerCalls } from '../test/support/far-ends.ts';
import type { ReceivedText } from './phones.ts';

const sessions = new Set<Session>();
const received: ReceivedText[] = [];
const times = new Map<string, number>();
/** Texts of several parts, until all have come. */
const parts = new Map<string, { texts: string[]; at: number }>();
const answerMsMax = 5_000;
let answerInMs = 0;
let ids = 0;

answerCalls({
  async listen() {
    const server = smpp.createServer({}, accept);
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    return (server.address() as { port: number }).port;
  },
  reply: (phone: string, to: string, text: string) =>
    deliver({ source_addr: digits(phone), destination_addr: digits(to), short_message: text }),
  answerIn(ms: number) {
    answerInMs = ms;
  },
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
  const answer = () => session.send(pdu.response({ message_id }));
  if (answerInMs > 0) setTimeout(answer, answerInMs);
  else answer();
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
  const found = whole(`${phone} ${textingNumber}`, String(message), udh);
  if (found === null) return;
  const { text, at } = found;
  received.push({ phone, textingNumber, text, at });
  times.set(`${phone} ${text}`, (times.get(`${phone} ${text}`) ?? 0) + 1);
}

/** The text, once its last part has come. The element of a part is 0, 3, then its reference, the count and its place. */
function whole(between: string, message: string, udh: Buffer[] = []): { text: string; at: number } | null {
  const [element] = udh;
  if (!element) return { text: message, at: Date.now() };
  const [reference, count = 1, place = 1] = element.subarray(-3);
  const key = `${between} ${reference}`;
  const so = parts.get(key) ?? { texts: [], at: Date.now() };
  so.texts[place - 1] = message;
  parts.set(key, so);
  if (Array.from({ length: count }, (_, index) => so.texts[index]).includes(undefined)) return null;
  parts.delete(key);
  return { text: so.texts.join(''), at: so.at };
}

/** When it was taken; null if it wasn't. */
async function deliver(fields: Fields): Promise<number | null> {
  const all = [...sessions];
  const session = all[Math.floor(Math.random() * all.length)];
  if (!session) return null;
  const addresses = { source_addr_ton: 1, dest_addr_ton: 1 };
  return new Promise((resolve) => {
    const late = setTimeout(() => resolve(null), answerMsMax);
    session.deliver_sm({ ...addresses, ...fields }, ({ command_status }) => {
      clearTimeout(late);
      resolve(command_status === 0 ? Date.now() : null);
    });
  });
}

function digits(phone: string): string {
  return phone.slice(1);
}
