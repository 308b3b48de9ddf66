import { randomUUID } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import type { SandboxAdvisor, SandboxFile } from '../src/domain/sandbox/sandbox.ts';
import type { Answer, Client } from './client.ts';
import { clockFault, type Ledger, type Send } from './ledger.ts';

/** The load that runs while the server is killed. */
export type Running = {
  /** Resolves once everything has settled: each request with a key is answered, and each reply has taken effect. */
  stop(): Promise<void>;
  /** Stops at once, without waiting for answers. */
  abandon(): void;
};

type Person = { advisor: SandboxAdvisor; phone: string };
/** Senders who text many people with each request, for advisors who need no consent. */
export type Bulk = { senders: number; people: number /** They wait while this is true. */; isBehind?(): boolean };

type Stage = {
  client: Client;
  ledger: Ledger;
  people: Person[];
  avery: SandboxAdvisor;
  casey: SandboxAdvisor;
  isOver(): boolean;
};

const messages = '/text/messaging/messages';
const consentRequests = '/text/messaging/consent-requests';
const retryMs = 50;
const settleMsMax = 90_000;
const sendersDefault = 16;
const peopleOfEach = 20;
const peopleMax = 400;
const dueMs = { soonest: 500, spread: 4_000 };
const textsBeforeStop = 4;
/** The longest pause between two requests. */
const restMs = { sender: 15, scheduler: 60, asker: 150, stopper: 250, bulk: 50 };
/** The carrier fails once; accepts the text, but its answer is lost; or answers, and the phone replies. */
const oddPhones = ['+15005550021', '+15005550022', '+15005550008'];
const oddShare = 0.03;

let phones = 0;
/** A number that is new in this run. */
export function newPhone(): string {
  return `+1212${String(2_000_000 + phones++)}`;
}

/** Starts senders with and without keys, schedules, consent requests with their replies, and people who say STOP. */
export async function startLoad(
  client: Client,
  sandbox: SandboxFile,
  ledger: Ledger,
  { senders = sendersDefault, bulk = { senders: 0, people: 0 } }: { senders?: number; bulk?: Bulk } = {},
): Promise<Running> {
  const [avery, casey] = ['avery@sandbox.example', 'casey@sandbox.example'].map((email) =>
    sandbox.advisors.find((each) => each.email === email),
  ) as [SandboxAdvisor, SandboxAdvisor];
  let over = false;
  const stage = { client, ledger, people: [] as Person[], avery, casey, isOver: () => over };
  await gather(stage);
  const working = [
    ...Array.from({ length: senders }, (_, index) =>
      keep(stage, restMs.sender, () => send(stage, anyone(stage), { keyed: index % 2 === 0 })),
    ),
    ...[true, false].map((keyed) => keep(stage, restMs.scheduler, () => schedule(stage, keyed))),
    keep(stage, restMs.asker, () => askAndAccept(stage)),
    keep(stage, restMs.stopper, () => textAndStop(stage)),
    ...Array.from({ length: bulk.senders }, () => {
      const phones = Array.from({ length: bulk.people }, newPhone);
      return keep(stage, restMs.bulk, async () => {
        if (!bulk.isBehind?.()) await sendToAll(stage, casey, phones);
      });
    }),
  ];
  const abandon = () => {
    over = true;
    client.giveUp();
  };
  return {
    async stop() {
      over = true;
      const late = setTimeout(abandon, settleMsMax);
      await Promise.all(working);
      clearTimeout(late);
    },
    abandon,
  };
}

async function keep({ isOver }: Stage, restMsMax: number, act: () => Promise<void>): Promise<void> {
  for (; !isOver(); await pause(Math.random() * restMsMax)) await act();
}

/** Gathers people who have accepted one advisor, and some of another who needs no consent. */
async function gather(stage: Stage): Promise<void> {
  const { client, people, avery, casey } = stage;
  const asked = Array.from({ length: peopleOfEach }, newPhone);
  const answer = await client.post(avery, consentRequests, { phoneNumbers: asked });
  if (typeof answer === 'string') throw new Error('The first consent request was not accepted.');
  await Promise.all(asked.map((phone) => client.reply(phone, avery.textingNumber, 'YES')));
  people.push(...asked.map((phone) => ({ advisor: avery, phone })));
  people.push(...Array.from({ length: peopleOfEach }, () => ({ advisor: casey, phone: newPhone() })));
}

function anyone({ people, casey }: Stage): Person {
  const of = <Item>(list: Item[]) => list[Math.floor(Math.random() * list.length)] as Item;
  return Math.random() < oddShare ? { advisor: casey, phone: of(oddPhones) } : of(people);
}

type How = { keyed: boolean; deliveryDate?: number };

async function send(stage: Stage, { advisor, phone }: Person, { keyed, deliveryDate }: How): Promise<void> {
  const { client, ledger } = stage;
  const { fault } = ledger;
  const record: Send = { text: `Text ${randomUUID()}`, phone, scheduled: deliveryDate !== undefined, fault };
  ledger.sends.push(record);
  const schedule = deliveryDate === undefined ? {} : { scheduleDelivery: true, deliveryDate };
  const body = { text: record.text, phone, ...schedule };
  const once = (key?: string) => client.post(advisor, messages, body, key);
  note(record, ledger, keyed ? await untilSure(stage, once) : await once());
}

/** One text to many people. */
export async function sendToAll(
  stage: Pick<Stage, 'client' | 'ledger'>,
  advisor: SandboxAdvisor,
  phones: string[],
): Promise<void> {
  const { client, ledger } = stage;
  const text = `Text ${randomUUID()}`;
  const records = phones.map((phone): Send => ({ text, phone, scheduled: false, fault: ledger.fault }));
  ledger.sends.push(...records);
  const answer = await untilSure(stage, (key) => client.post(advisor, messages, { text, phoneNumbers: phones }, key));
  const accepted = typeof answer === 'string' ? 0 : (answer.body.successes?.length ?? 0);
  if (accepted > 0 && accepted < phones.length) ledger.surprises.push(`${text} was accepted for ${accepted} people`);
  ledger.accepted += accepted;
  for (const record of records)
    record.outcome = accepted > 0 ? 'accepted' : answer === 'unknown' ? 'unanswered' : 'refused';
}

function note(record: Send, ledger: Ledger, answer: Answer): void {
  record.outcome = answer === 'unknown' ? 'unanswered' : 'refused';
  if (typeof answer === 'string') return;
  const { successes = [], failureDetails = [] } = answer.body;
  const [success] = successes;
  if (success) {
    record.outcome = 'accepted';
    ledger.accepted += 1;
    record.messageId = success.messageId ?? undefined;
    record.scheduledMessageId = success.scheduledMessageId;
  } else if (answer.status === 200 && failureDetails[0]?.code !== 'opted_out')
    ledger.surprises.push(`A send failed (${record.fault}): ${JSON.stringify(answer.body)}`);
}

/** Repeats the request with the same key until it is answered. */
async function untilSure({ client }: Pick<Stage, 'client'>, once: (key: string) => Promise<Answer>): Promise<Answer> {
  const key = randomUUID();
  let answer = await once(key);
  for (let unknown = answer === 'unknown'; typeof answer === 'string'; unknown ||= answer === 'unknown') {
    if (client.hasGivenUp()) return unknown ? 'unknown' : answer;
    await pause(retryMs);
    answer = await once(key);
  }
  return answer;
}

async function schedule(stage: Stage, keyed: boolean): Promise<void> {
  const deliveryDate = Date.now() + stage.ledger.aheadMs + dueMs.soonest + Math.round(Math.random() * dueMs.spread);
  await send(stage, anyone(stage), { keyed, deliveryDate });
}

async function askAndAccept(stage: Stage): Promise<void> {
  const { client, ledger, people, avery } = stage;
  const { fault } = ledger;
  const phone = newPhone();
  const once = (key?: string) => client.post(avery, consentRequests, { phoneNumbers: [phone] }, key);
  const answer = Math.random() < 0.5 ? await untilSure(stage, once) : await once();
  ledger.asked.push({ phone, accepted: typeof answer !== 'string' });
  if (typeof answer === 'string') return;
  const answeredAt = await client.reply(phone, avery.textingNumber, 'ACCEPT');
  // One that seems to be from before the request doesn't count: the person may have meant something else.
  if (!answeredAt || fault === clockFault || ledger.fault === clockFault) return;
  ledger.replied.push({ phone, textingNumber: avery.textingNumber, word: 'ACCEPT', answeredAt });
  if (people.length < peopleMax) people.push({ advisor: avery, phone });
}

/** Sends texts to a person who says STOP meanwhile, and one text afterwards. */
async function textAndStop(stage: Stage): Promise<void> {
  const { client, ledger, casey } = stage;
  const person = { advisor: casey, phone: newPhone() };
  const texting = Array.from({ length: textsBeforeStop }, async () => {
    await pause(Math.random() * 40);
    await send(stage, person, { keyed: true });
  });
  await pause(Math.random() * 60);
  const { fault } = ledger;
  const answeredAt = await client.reply(person.phone, casey.textingNumber, 'STOP');
  if (answeredAt) {
    const isLate = fault === clockFault || ledger.fault === clockFault;
    const { phone } = person;
    ledger.replied.push({ phone, textingNumber: casey.textingNumber, word: 'STOP', answeredAt, isLate });
    await send(stage, person, { keyed: false });
  }
  await Promise.all(texting);
}
