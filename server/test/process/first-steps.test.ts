import assert from 'node:assert/strict';
import { type ChildProcess, spawn } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, suite, test } from 'node:test';
import { root } from '../../src/config.ts';
import { type Smsc, startSmsc } from '../carriers/smpp/smsc.ts';
import { type Authority, skip as lacksOpenssl, makeAuthority } from '../support/certificates.ts';
import { type DebianPostgres, skip as lacksPostgres, startDebianPostgres } from '../support/debian-postgres.ts';
import { freePort } from '../support/programs.ts';
import { until } from '../support/waiting.ts';

const page = readFileSync(join(root, 'docs/operators/running.md'), 'utf8');
const [, section = ''] = /^## First steps in production\n(.*?)^## /ms.exec(page) ?? [];
const blocks = [...section.matchAll(/^```(\w+)\n(.*?)^```/gms)].map(([, language, text = '']) => ({ language, text }));
const commandsMs = 120_000;
const lacksCurl = existsSync('/usr/bin/curl') ? false : 'there is no /usr/bin/curl';
const skip = lacksPostgres || lacksOpenssl || lacksCurl;

suite('the first steps in production, pasted from the page for operators', { skip }, () => {
  let authority: Authority;
  let postgres: DebianPostgres;
  let port: number;
  let smsc: Smsc;
  let folder: string;
  let server: ChildProcess | undefined;
  before(async () => {
    authority = makeAuthority();
    postgres = await startDebianPostgres(authority.issue('localhost'));
    port = await freePort();
    smsc = await startSmsc();
    folder = mkdtempSync(join(tmpdir(), 'assent-first-steps-'));
    // The reader may use sudo; folders of the test's own need none.
    mkdirSync(join(folder, 'bin'));
    writeFileSync(join(folder, 'bin/sudo'), '#!/bin/sh\nexec "$@"\n', { mode: 0o755 });
  });
  after(async () => {
    const running = server && server.exitCode === null && server.signalCode === null ? server : null;
    if (running?.pid) process.kill(-running.pid, 'SIGTERM');
    await new Promise((resolve) => (running ? running.once('close', resolve) : resolve(null)));
    await smsc.stop();
    await postgres.stop();
    authority.remove();
    rmSync(folder, { recursive: true, force: true });
  });

  /** The reader's own values: where the database, the carrier and the archive's folders are, and a port that is free. */
  const own = (text: string) =>
    text
      .replaceAll('db.example.com', `localhost:${postgres.port}`)
      .replaceAll(/\/(etc|mnt\/elsewhere)\/assent/g, (path) => folder + path)
      .replaceAll('127.0.0.1:8080', `127.0.0.1:${port}`)
      .replaceAll('"smpp.example.net", "port": 2776, "tls": true', `"127.0.0.1", "port": ${smsc.port}`);

  /** A shell of its own in the checkout, with nothing of the test's settings. The operating system trusts the CA, and Node.js asks it. */
  function shell(script: string): ChildProcess {
    const { PATH, HOME } = process.env;
    const trust = { SSL_CERT_FILE: authority.file, NODE_USE_SYSTEM_CA: '1' };
    const env = { PATH: `${folder}/bin:${PATH}`, HOME, PORT: String(port), ...trust };
    return spawn('bash', ['-e', '-c', own(script)], {
      cwd: root,
      env,
      detached: true,
      stdio: ['ignore', 'pipe', 'pipe'],
    });
  }

  async function pasted(script: string): Promise<string> {
    const child = shell(script);
    let [stdout, stderr] = ['', ''];
    child.stdout?.on('data', (text) => {
      stdout += text;
    });
    child.stderr?.on('data', (text) => {
      stderr += text;
    });
    const late = setTimeout(() => child.pid && process.kill(-child.pid, 'SIGKILL'), commandsMs);
    const status = await new Promise((resolve) => child.once('close', resolve));
    clearTimeout(late);
    assert.equal(status, 0, `${script}\n${stdout}\n${stderr}`);
    return stdout;
  }

  test('end with a text by SMPP, its receipt, the person’s reply, and a signed archive with copies outside', async () => {
    assert.deepEqual(
      blocks.map(({ language }) => language),
      ['sql', 'sh', 'sh', 'sh', 'sh', 'sh', 'sh', 'sh'],
    );
    const commands = blocks.map((block) => block.text);
    const [sql = '', settings = '', key = '', start = '', accounts = '', carrier = '', text = '', check = ''] =
      commands;
    postgres.paste(own(sql));
    const [migrate, serve] = start.split(/(?=^npm start$)/m) as [string, string];
    await pasted(settings + key + migrate);
    server = shell(settings + serve);
    let said = '';
    for (const stream of [server.stdout, server.stderr])
      stream?.on('data', (text) => {
        said += text;
      });
    await until('the server is ready', () => isReady(port), commandsMs, 200).catch((error) =>
      assert.fail(`${error}\n${said}`),
    );

    const script = `${settings}${accounts}${carrier}${text}\necho; echo "TOKEN $TOKEN"; echo "KEY $API_KEY"`;
    const stdout = await pasted(script);
    assert.match(stdout, /^https:\/\/api\.example\.com\/invitation#email=ann%40example\.com&code=[\w-]{43}$/m);
    assert.match(stdout, /^\+12125550100 .* main .*none$/m, 'the check of the number');
    const [, token = assert.fail(stdout)] = /^TOKEN ([\w-]+\.[\w-]+\.[\w-]+)$/m.exec(stdout) ?? [];
    const [, apiKey = assert.fail(stdout)] = /^KEY (\S+)$/m.exec(stdout) ?? [];
    const [answer = ''] = /^\{.*\}$/m.exec(stdout) ?? [];
    const [success] = JSON.parse(answer).successes;
    assert.equal(success.status, 'awaiting_consent');

    const texts = async () => (await smsc.submitted()).map(({ fields, text }) => [fields.destination_addr, text]);
    await until('the request for consent is at the carrier', async () => (await texts()).length === 1);
    const person = {
      source_addr_ton: 1,
      source_addr: '12125550123',
      dest_addr_ton: 1,
      destination_addr: '12125550100',
    };
    assert.equal(await smsc.deliver({ ...person, short_message: 'ACCEPT' }), 0, 'the reply was taken');
    await until('the text is at the carrier', async () => (await texts()).some(([, text]) => isHello(text)));
    // The peer numbers what it takes from 1.
    const id = (await texts()).findIndex(([, text]) => isHello(text)) + 1;
    const receipt = `id:${id} sub:001 dlvrd:001 stat:DELIVRD err:000 text:`;
    assert.equal(await smsc.deliver({ ...person, esm_class: 4, short_message: receipt }), 0, 'the receipt was taken');
    const statusOf = async () => {
      const url = `http://127.0.0.1:${port}/v1/text/messaging/messages/${success.messageId}`;
      const found = await fetch(url, { headers: { authorization: `Bearer ${token}`, 'x-api-key': apiKey } });
      return ((await found.json()) as { status: string }).status;
    };
    await until('the text is delivered', async () => (await statusOf()) === 'delivered');
    assert.equal((await texts()).filter(([, text]) => isHello(text)).length, 1, 'it was handed over once');

    // Whoever reads the page comes to its end seconds later: the server signs every two.
    const outside = join(folder, 'mnt/elsewhere/assent/checkpoints');
    await until('there is a copy outside', () => existsSync(outside));
    // Off until now, to be faster: the reader's has the default.
    postgres.paste('alter system set fsync = on;\nselect pg_reload_conf();\n');
    const checked = await pasted(settings + check);
    assert.match(checked, /^intact: \d+ entries, [1-9]/m);
    assert.match(checked, /^api\.example\.com\/archive\+\w+\+\S+$/m, 'the public key');
    // The first scrape of this server.
    assert.match(checked, /^assent_archive_signed_entries [1-9]/m);
    assert.match(checked, /^assent_archive_outside_entries [1-9]/m);
    assert.doesNotMatch(checked, /^failing/m);
    const warned = [...checked.matchAll(/^warning +(.*?) {2}/gm)].map(([, about]) => about);
    assert.deepEqual(warned, ['WAL archive'], 'the page says so');
  });
});

function isHello(text: unknown): boolean {
  return /^Hello from Ann\n/.test(String(text));
}

async function isReady(port: number): Promise<boolean> {
  const answer = await fetch(`http://127.0.0.1:${port}/readyz`).catch(() => null);
  return answer?.status === 200;
}
