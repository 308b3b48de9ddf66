import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { PDU } from 'smpp';
import { readMessage, submitBody } from '../src/adapters/carriers/smpp/codec/bodies.ts';
import { partsOf } from '../src/adapters/carriers/smpp/codec/parts.ts';
import { commands, pduBytes, pduReader } from '../src/adapters/carriers/smpp/codec/pdu.ts';
import { settingsOf } from '../src/adapters/carriers/smpp/options.ts';
import { smppCarrier } from '../src/adapters/carriers/smpp/smpp-carrier.ts';
import { readConfig } from '../src/config.ts';
import type { Carrier, OutgoingText } from '../src/domain/ports.ts';
import { makeLog } from '../src/log.ts';
import { startRuntime } from '../src/runtime.ts';
import { measureDispatchers } from './carrier-dispatch.ts';
import type { Scratch } from './scratch.ts';
import { phoneOf, sampleText } from './send-cast.ts';
import type { Sizes } from './sizes.ts';
import { heading, median, ratio, table, whole } from './tables.ts';

/** As many as the dispatcher has with a carrier. */
const inFlight = 1_000;
const people = 200;
const window = 100;
/** Until then much of what runs isn't compiled. */
const warmUpTexts = 10_000;
const peer = fileURLToPath(new URL('smpp-peer.ts', import.meta.url));
const smpp = { name: 'bench', systemId: 'bench', password: 'bench', window };

const textOf = (number: number): OutgoingText => ({
  from: '+15005552000',
  to: phoneOf(number % people),
  text: sampleText,
  kind: 'text',
  reference: number,
});

/** Texts per second until each has its receipt: by SMPP on loopback, and by the sandbox's carrier, whose phones are rows. */
export async function measureCarriers(scratch: Scratch, sizes: Sizes): Promise<string[]> {
  const { carrierTexts, rounds } = sizes;
  measureCodecs(carrierTexts);
  heading(`${whole(carrierTexts)} texts with their receipts, ${whole(inFlight)} at a time`);
  const port = await startPeer(scratch);
  const hosts = [{ host: '127.0.0.1', port }];
  const runtime = await startRuntime(
    readConfig({ ASSENT_DATA_DIR: join(scratch.folder, 'carriers') }),
    makeLog('silent'),
    () => {},
  );
  const { stop } = scratch.owns(runtime.stop);
  const carriers: [string, Carrier][] = [
    ['SMPP, one bind', smppCarrier({ ...smpp, hosts })],
    ['SMPP, four binds', smppCarrier({ ...smpp, hosts, binds: 4 })],
  ];
  for (const { name, carrier } of runtime.carriers.list()) carriers.push([name, carrier]);
  // In turn, so that whatever else the machine does is shared.
  const runs = new Map<string, Run[]>(carriers.map(([name]) => [name, []]));
  for (const [, carrier] of carriers) await measureCarrier(carrier, warmUpTexts);
  for (let round = 0; round < rounds; round++)
    for (const [name, carrier] of carriers) runs.get(name)?.push(await measureCarrier(carrier, carrierTexts));
  await stop();
  const rates = carriers.map(([name]) => median((runs.get(name) ?? []).map(({ perSecond }) => perSecond)));
  table(
    carriers.map(([carrier], index) => ({
      carrier,
      'texts/s': whole(rates[index]),
      'Node µs': whole(median((runs.get(carrier) ?? []).map(({ nodeUs }) => nodeUs))),
    })),
  );
  const [one = 0, four = 0, sandbox = 0] = rates;
  return [
    `SMPP: ${whole(one)} texts/s on one bind, ${whole(four)} on four: ${ratio(one / sandbox)} and ${ratio(four / sandbox)} of the sandbox’s carrier (bar 1.00)`,
    ...(await measureDispatchers(scratch, sizes, { host: '127.0.0.1', port, window })),
  ];
}

type Run = { perSecond: number; nodeUs: number };

async function measureCarrier(carrier: Carrier, count: number): Promise<Run> {
  let receipts = 0;
  const all = Promise.withResolvers<void>();
  const stop = carrier.listen({
    reply: async () => {},
    async receipt() {
      receipts += 1;
      if (receipts === count) all.resolve();
    },
  });
  while (carrier.status && !carrier.status().connections.every(({ state }) => state === 'bound'))
    await new Promise(setImmediate);
  const began = performance.now();
  const cpuBefore = process.cpuUsage();
  let next = 0;
  const submitNext = async () => {
    while (next < count) {
      const answer = await carrier.submit(textOf(next++));
      if (!('accepted' in answer)) throw new Error(`A text was not accepted: ${JSON.stringify(answer)}`);
    }
  };
  await Promise.all(Array.from({ length: inFlight }, submitNext));
  await all.promise;
  const elapsedMs = performance.now() - began;
  const { user, system } = process.cpuUsage(cpuBefore);
  await stop();
  return { perSecond: (count / elapsedMs) * 1_000, nodeUs: (user + system) / count };
}

async function startPeer(scratch: Scratch): Promise<number> {
  const child = spawn(process.execPath, [peer], { stdio: ['ignore', 'pipe', 'inherit'] });
  const exited = once(child, 'exit');
  scratch.owns(async () => {
    child.kill();
    await exited;
  });
  const [port] = await once(child.stdout, 'data');
  return Number(port);
}

/** Our codec and the `smpp` package's: submit_sm written and read. */
function measureCodecs(count: number): void {
  heading('submit_sm written and read, PDUs per second');
  const settings = settingsOf({ ...smpp, hosts: [{ host: 'localhost', port: 1 }] });
  const ours = () => {
    const [part] = partsOf(textOf(1), 1, settings);
    if (!part) throw new Error('A text has no part.');
    return pduBytes({ command: commands.submit_sm, status: 0, sequence: 1, body: submitBody(part) });
  };
  const fields = { source_addr: '15005552000', destination_addr: '12125550000', short_message: sampleText };
  const theirs = () => new PDU('submit_sm', { ...fields, user_message_reference: 1, sequence_number: 1 }).toBuffer();
  const bytes = ours();
  const read = pduReader();
  table([
    {
      codec: 'ours',
      written: whole(rateOf(ours, count)),
      read: whole(rateOf(() => read(bytes).map(readMessage), count)),
    },
    { codec: 'smpp', written: whole(rateOf(theirs, count)), read: whole(rateOf(() => PDU.fromBuffer(bytes), count)) },
  ]);
}

function rateOf(work: () => unknown, count: number): number {
  for (let warmUp = 0; warmUp < count / 10; warmUp++) work();
  const began = performance.now();
  for (let each = 0; each < count; each++) work();
  return (count / (performance.now() - began)) * 1_000;
}
