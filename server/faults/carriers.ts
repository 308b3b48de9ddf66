import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import pg from 'pg';
import { type Smsc, startSmsc } from '../test/carriers/smpp/smsc.ts';
import { freePort, makeDataFolder, type Program, startServer } from '../test/support/programs.ts';
import { until } from '../test/support/waiting.ts';
import { command, connectSmsc } from './commands.ts';

/** A text as it became in the end, and how often the peer took it. */
type TextOutcome = { messageId: number; phone: string; status: string; taken: number };

const textsPerRound = 40;
const carrierTimeoutMs = 2_000;
/** The peer takes this long for an answer, so that its window is full when somebody is killed. */
const answerMs = 150;
const window = 10;
const settleMsMax = 90_000;
const advisor = 'casey@sandbox.example';

/**
 * Kills the server with a full window of texts at an SMPP peer, and the peer itself, in turn. The peer keeps a journal of what it
 * took, and confirms it with receipts that repeat our reference. Afterwards no text is lost and none is doubled, and every doubt is
 * settled, unless the peer never took the text. Returns what is wrong.
 */
export async function tryCarriers(rounds: number, say: (line: string) => void): Promise<string[]> {
  const folder = makeDataFolder();
  const journal = join(folder.path, 'journal.ndjson');
  const env = {
    ASSENT_DATA_DIR: folder.path,
    PORT: String(await freePort()),
    CARRIER_TIMEOUT_MS: String(carrierTimeoutMs),
    LOG_LEVEL: 'error',
  };
  const peerAt = async (port = 0) => {
    const peer = await startSmsc({ port, journal });
    await peer.behave({ times: 1_000_000, pauseMs: answerMs });
    return peer;
  };
  let peer = await peerAt();
  let [program, killed]: [Program | undefined, Record<string, number>] = [undefined, { server: 0, peer: 0 }];
  try {
    program = await startServer(env);
    const token = await connectPeer(env, peer, folder.sandbox());
    for (let round = 0; round < rounds; round++) {
      await send(env.PORT, token, folder.sandbox().apiKey, round);
      const before = taken(journal).length;
      await until('the window is full', () => taken(journal).length >= before + 3, settleMsMax, 20);
      await pause(Math.random() * answerMs);
      const isServer = round % 2 === 0;
      if (isServer) {
        await program.stop('SIGKILL');
        program = await startServer(env);
      } else {
        const { port } = peer;
        await peer.stop('SIGKILL');
        peer = await peerAt(port);
      }
      killed = { ...killed, [isServer ? 'server' : 'peer']: (killed[isServer ? 'server' : 'peer'] ?? 0) + 1 };
    }
    return await judge(folder.path, journal, killed, say);
  } finally {
    await program?.stop();
    await peer.stop();
    const postmaster = folder.postmaster();
    if (postmaster) process.kill(postmaster, 'SIGQUIT');
    await until('PostgreSQL has ended', () => folder.postmaster() === null).catch(() => {});
    folder.remove();
  }
}

type Sandbox = ReturnType<ReturnType<typeof makeDataFolder>['sandbox']>;

/** Adds the carrier, moves the number to it, and waits until it is bound. Returns an access token. */
async function connectPeer(env: Record<string, string>, { port }: Smsc, { advisors }: Sandbox): Promise<string> {
  const number = advisors.find(({ email }) => email === advisor)?.textingNumber ?? '';
  await connectSmsc(env, { port, window, numbers: [number], boundMs: 30_000 });
  return (await command(env, ['token', '--advisor', advisor])).trim();
}

async function send(port: string, token: string, apiKey: string, round: number): Promise<void> {
  const phoneNumbers = Array.from(
    { length: textsPerRound },
    (_, index) => `+1212${3_000_000 + round * textsPerRound + index}`,
  );
  const answer = await fetch(`http://127.0.0.1:${port}/v1/text/messaging/messages`, {
    method: 'POST',
    headers: { authorization: `Bearer ${token}`, 'x-api-key': apiKey, 'content-type': 'application/json' },
    body: JSON.stringify({ phoneNumbers, text: 'Hello' }),
  });
  if (answer.status !== 200) throw new Error(`A send was answered ${answer.status}: ${await answer.text()}`);
}

/** The numbers whose texts the peer took, once for each time that it did. */
function taken(journal: string): string[] {
  try {
    const lines = readFileSync(journal, 'utf8').split('\n').filter(Boolean);
    return lines.map((line) => `+${JSON.parse(line).to}`);
  } catch {
    return [];
  }
}

async function judge(
  dataDir: string,
  journal: string,
  killed: Record<string, number>,
  say: (line: string) => void,
): Promise<string[]> {
  const owner = new pg.Client({
    connectionString: `postgres://assent@localhost/assent?host=${encodeURIComponent(join(dataDir, 'postgres'))}`,
  });
  await owner.connect();
  const read = async (): Promise<TextOutcome[]> => {
    const { rows } = await owner.query<Omit<TextOutcome, 'taken'>>(
      `select message_id::integer as "messageId", phone, status
       from messages
       join members using (advisor_id, member_id)
       where kind = 'text' and phone like '+12123%'`,
    );
    const times = Map.groupBy(taken(journal), (phone) => phone);
    return rows.map((row) => ({ ...row, taken: times.get(row.phone)?.length ?? 0 }));
  };
  // A text that the peer never took can't be settled by it.
  const isOpen = ({ status, taken }: TextOutcome) =>
    status === 'queued' || status === 'sent' || (status === 'in_doubt' && taken > 0);
  await until('everything is settled', async () => !(await read()).some(isOpen), settleMsMax, 500).catch(() => {});
  const texts = await read();
  await owner.end();
  const of = (test: (text: TextOutcome) => boolean) => texts.filter(test);
  const doubled = of(({ taken }) => taken > 1);
  const lost = of(({ status, taken }) => taken === 0 && status !== 'in_doubt' && status !== 'failed');
  const open = of(isOpen);
  const doubts = of(({ status }) => status === 'in_doubt');
  say(
    `kills of the server ${killed.server}, of the peer ${killed.peer}; ${texts.length} texts, ${lost.length} lost, ${doubled.length} doubled`,
  );
  say(
    `${of(({ status }) => status === 'delivered').length} delivered, ${doubts.length} in doubt that the peer never took, shown as such`,
  );
  return [
    ...doubled.map(({ messageId }) => `doubled: message ${messageId}`),
    ...lost.map(({ messageId, status }) => `lost: message ${messageId}, ${status}`),
    ...open.map(({ messageId, status }) => `not settled: message ${messageId}, ${status}`),
    ...(texts.length < textsPerRound ? ['no texts were accepted'] : []),
  ];
}
