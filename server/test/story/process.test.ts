import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import { runCommand } from '../support/commands.ts';
import { credentials } from '../support/nodes.ts';
import { freePort, isAlive, makeDataFolder, startServer } from '../support/programs.ts';
import { messagesPath } from '../support/texting.ts';
import { until } from '../support/waiting.ts';

const phone = '+15005550006';
/** What is in flight when a server is killed is settled a few seconds after this. */
const CARRIER_TIMEOUT_MS = '1000';

test('the server starts, texts, is killed under load and starts again: each text that it accepted arrives once; SIGTERM ends all', async (t) => {
  const folder = makeDataFolder();
  const env = { ASSENT_DATA_DIR: folder.path, PORT: String(await freePort()), CARRIER_TIMEOUT_MS };
  let program = await startServer(env);
  t.after(async () => {
    program.signal('SIGKILL');
    await program.ended();
    folder.remove();
  });
  const postmaster = folder.postmaster() ?? -1;
  const { apiKey } = folder.sandbox();
  const token = (await runCommand(['token', '--advisor', 'avery@sandbox.example'], env)).stdout.trim();
  const headers = { ...credentials(token, apiKey), 'content-type': 'application/json' };

  const read = async <Data>(path: string): Promise<Data[]> => {
    const answer = await program.fetch(path, { headers });
    return ((await answer.json()) as { data: Data[] }).data;
  };
  const ids = new Map<string, number>();
  const unanswered: string[] = [];
  const post = async (text: string): Promise<boolean> => {
    const body = JSON.stringify({ phone, text });
    const given = { method: 'POST', headers: { ...headers, 'idempotency-key': text }, body };
    const answer = await program.fetch(`/v1${messagesPath}`, given).catch(() => null);
    const { successes } = answer?.status === 200 ? await answer.json().catch(() => ({})) : {};
    if (successes) ids.set(text, successes[0].messageId);
    return successes !== undefined;
  };
  const client = async (name: number) => {
    for (let each = 1; !program.hasEnded(); each++) {
      const text = `Text ${each} of client ${name}`;
      if (await post(text)) continue;
      unanswered.push(text);
      await pause(20);
    }
  };
  const clients = [1, 2, 3, 4].map(client);
  await until('it is under load', () => ids.size > 40);
  assert.equal(await program.stop('SIGKILL'), 'SIGKILL');
  await Promise.all(clients);

  program = await startServer(env);
  assert.equal(folder.postmaster(), postmaster, 'PostgreSQL kept running');
  for (const text of unanswered) assert.ok(await post(text), text);
  const list = `/v1${messagesPath}?phone=${encodeURIComponent(phone)}&pageSize=200`;
  const stored = () => read<{ messageId: number; status: string }>(list);
  const isSettled = ({ status }: { status: string }) => ['delivered', 'in_doubt'].includes(status);
  await until('all are settled', async () => (await stored()).every(isSettled));
  const [texts, onPhone] = [await stored(), await read<{ text: string }>(`/sandbox/handset/${phone}/messages`)];
  assert.deepEqual(texts.map(({ messageId }) => messageId).sort(), [...ids.values()].sort());
  for (const [text, id] of ids) {
    const count = onPhone.filter((each) => each.text === text).length;
    // Nobody can know whether a text arrived that was being handed over when the server was killed.
    const isInDoubt = texts.some(({ messageId, status }) => messageId === id && status === 'in_doubt');
    assert.ok(count === 1 || (count === 0 && isInDoubt), `${text} is on the phone ${count} times`);
  }

  assert.equal(await program.stop('SIGTERM'), 0, program.said());
  assert.ok(!isAlive(program.pid));
  assert.ok(!isAlive(postmaster), 'PostgreSQL is gone too');
});
