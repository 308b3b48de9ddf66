import { join } from 'node:path';
import { byOperator } from '../src/domain/archive/archive.ts';
import { addCarrier } from '../src/domain/carriers/carriers.ts';
import { knownRecipient } from '../src/domain/texting/recipients.ts';
import { acceptTexts, textTo } from '../src/domain/texting/texts.ts';
import { sandboxCarrierId } from '../src/store/carriers/carriers.ts';
import { startEmbedded } from '../src/store/database/embedded.ts';
import { listRecipients } from '../src/store/texting/recipients.ts';
import { cpuOfEach, cpuTime } from './cpu.ts';
import { drained, everyOneDelivered, lastMessageId, waiting } from './outbox.ts';
import type { Scratch } from './scratch.ts';
import {
  advisorCount,
  type Cast,
  makeCast,
  peopleOfEach,
  phoneOf,
  type SendServer,
  sampleText,
  startSendServer,
} from './send-cast.ts';
import type { Sizes } from './sizes.ts';
import { heading, median, ratio, say, table, whole } from './tables.ts';

type Run = { perSecond: number; node: number | undefined; postgresql: number | undefined };

const acceptedAtOnce = 1_000;

/**
 * What an operator gets: accepted texts that wait in the database, handed over by the product's dispatcher, until each has its
 * receipt recorded. By SMPP to a peer on loopback, beside the sandbox's carrier, in turn.
 */
export async function measureDispatchers(
  scratch: Scratch,
  { carrierTexts, rounds }: Sizes,
  smpp: { host: string; port: number; window: number },
): Promise<string[]> {
  const embedded = await startEmbedded(join(scratch.folder, 'dispatchers'), say);
  const database = scratch.owns(() => embedded.stop());
  const cast = await makeCast(scratch, embedded, 'dispatchers');
  const carriers = await addCarriers(cast, smpp);
  const server = await startSendServer(scratch, cast, 'product', 'running');
  heading(`The dispatcher: ${whole(carrierTexts)} texts that wait, until each has its receipt recorded`);
  const runs = new Map<string, Run[]>(carriers.map(([name]) => [name, []]));
  for (const [, carrierId] of carriers) await measureDispatcher(cast, server, carrierId, carrierTexts / 10);
  for (let round = 0; round < rounds; round++)
    for (const [name, carrierId] of carriers)
      runs.get(name)?.push(await measureDispatcher(cast, server, carrierId, carrierTexts));
  const middle = (name: string, of: (run: Run) => number | undefined) =>
    median((runs.get(name) ?? []).map((run) => of(run) ?? Number.NaN));
  table(
    carriers.map(([name]) => ({
      'the dispatcher over': name,
      'texts/s': whole(middle(name, ({ perSecond }) => perSecond)),
      'Node µs': whole(middle(name, ({ node }) => node)),
      'PostgreSQL µs': whole(middle(name, ({ postgresql }) => postgresql)),
    })),
  );
  await server.stop();
  await cast.close();
  await database.stop();
  const [sandbox = 0, one = 0, four = 0] = carriers.map(([name]) => middle(name, ({ perSecond }) => perSecond));
  return [
    `the dispatcher over SMPP: ${whole(one)} texts/s on one bind, ${whole(four)} on four: ${ratio(one / sandbox)} and ${ratio(four / sandbox)} of its rate over the sandbox’s carrier (bar 1.00)`,
  ];
}

async function addCarriers(
  { runtime }: Cast,
  { host, port, window }: { host: string; port: number; window: number },
): Promise<[name: string, carrierId: number][]> {
  const common = { hosts: [{ host, port }], systemId: 'bench', password: 'bench', window };
  const one = await addCarrier(runtime, { name: 'one-bind', kind: 'smpp', settings: common });
  const four = await addCarrier(runtime, { name: 'four-binds', kind: 'smpp', settings: { ...common, binds: 4 } });
  return [
    ['the sandbox’s carrier', sandboxCarrierId],
    ['SMPP, one bind', one.carrierId],
    ['SMPP, four binds', four.carrierId],
  ];
}

async function measureDispatcher(cast: Cast, { pid }: SendServer, carrierId: number, count: number): Promise<Run> {
  await cast.owner.query('update advisors set carrier_id = $1', [carrierId]);
  const mark = await lastMessageId(cast);
  await acceptForLater(cast, count);
  await cast.owner.query('vacuum (analyze)');
  await cast.owner.query('checkpoint');
  // All at once.
  await cast.owner.query('update dispatches set not_before = now()');
  const before = await cpuTime([pid], cast.owner);
  const began = performance.now();
  await drained(() => waiting(cast));
  await everyOneDelivered(cast, mark, count);
  const elapsedMs = performance.now() - began;
  return { perSecond: (count / elapsedMs) * 1_000, ...cpuOfEach(before, await cpuTime([pid], cast.owner), count) };
}

/** Nobody may begin with the first while others are still being accepted. */
async function acceptForLater({ runtime, advisorIds }: Cast, count: number): Promise<void> {
  const people = Array.from({ length: advisorCount * peopleOfEach }, (_, person) => ({
    advisorId: advisorIds[person % advisorCount] as number,
    phone: phoneOf(person),
  }));
  const rows = await listRecipients(runtime.db, people);
  const texts = rows.map((row, person) => {
    const { advisorId } = people[person] as { advisorId: number };
    return textTo(knownRecipient(row), { advisorId, kind: 'text', text: sampleText, by: byOperator });
  });
  for (let accepted = 0; accepted < count; accepted += acceptedAtOnce)
    await runtime.db.transaction(async (db) => {
      const some = Array.from({ length: Math.min(acceptedAtOnce, count - accepted) }, (_, index) => {
        return texts[(accepted + index) % texts.length] as (typeof texts)[number];
      });
      await acceptTexts({ ...runtime, db }, some);
      await db.query(
        `update dispatches set not_before = now() + interval '1 hour' where not_before < now() + interval '1 minute'`,
      );
    });
}
