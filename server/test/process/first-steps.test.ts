import assert from 'node:assert/strict';
import { type ChildProcess, spawn } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, suite, test } from 'node:test';
import { root } from '../../src/config.ts';
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
  let server: ChildProcess | undefined;
  before(async () => {
    authority = makeAuthority();
    postgres = await startDebianPostgres(authority.issue('localhost'));
    port = await freePort();
  });
  after(async () => {
    if (server?.pid) process.kill(-server.pid, 'SIGTERM');
    await new Promise((resolve) => (server ? server.once('close', resolve) : resolve(null)));
    await postgres.stop();
    authority.remove();
  });

  /** The reader's own values: where the database is, and a port that is free. */
  const own = (text: string) =>
    text.replaceAll('db.example.com', `localhost:${postgres.port}`).replaceAll('127.0.0.1:8080', `127.0.0.1:${port}`);

  /** A shell of its own in the checkout, with nothing of the test's settings. The operating system trusts the CA. */
  function shell(script: string): ChildProcess {
    const { PATH, HOME } = process.env;
    const env = { PATH, HOME, PORT: String(port), SSL_CERT_FILE: authority.file };
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

  test('end with a token and a text, which today is the 409 of a deployment without a carrier', async () => {
    assert.deepEqual(
      blocks.map(({ language }) => language),
      ['sql', 'sh', 'sh', 'sh', 'sh'],
    );
    const [sql, settings, start, accounts, text] = blocks.map((block) => block.text) as [
      string,
      string,
      string,
      string,
      string,
    ];
    postgres.paste(own(sql));
    const [migrate, serve] = start.split(/(?=^npm start$)/m) as [string, string];
    await pasted(settings + migrate);
    server = shell(settings + serve);
    await until('the server is ready', () => isReady(port), 60_000, 200);

    const stdout = await pasted(`${settings}${accounts}${text}\necho; echo "TOKEN $TOKEN"`);
    assert.match(stdout, /^https:\/\/api\.example\.com\/invitation#email=ann%40example\.com&code=[\w-]{43}$/m);
    assert.match(stdout, /^TOKEN [\w-]+\.[\w-]+\.[\w-]+$/m);
    const [answer = ''] = /^\{.*\}$/m.exec(stdout) ?? [];
    const { status, code, detail } = JSON.parse(answer);
    assert.deepEqual([status, code], [409, 'conflict']);
    assert.match(detail, /^No carrier is connected/);
    assert.match(section, /The answer is a 409 that says that no carrier is connected/);
  });
});

async function isReady(port: number): Promise<boolean> {
  const answer = await fetch(`http://127.0.0.1:${port}/readyz`).catch(() => null);
  return answer?.status === 200;
}
