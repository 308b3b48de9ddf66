import assert from 'node:assert/strict';
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, suite, test } from 'node:test';
import pg from 'pg';
import { assent, makeDataFolder, type Program, startServer } from '../support/programs.ts';
import { until } from '../support/waiting.ts';

suite('the archive of a sandbox', () => {
  const folder = makeDataFolder();
  const env = { ASSENT_DATA_DIR: folder.path };
  const outside = join(folder.path, 'archive-outside', 'checkpoints');
  const papers = mkdtempSync(join(tmpdir(), 'assent-archive-'));
  const [pubkey, exported] = [join(papers, 'archive.pub'), join(papers, 'package')];
  let server: Program;
  before(async () => {
    server = await startServer(env);
  });
  after(async () => {
    await server?.stop();
    folder.remove();
    rmSync(papers, { recursive: true, force: true });
  });

  const verify = () => assent(['archive', 'verify'], env);
  const status = async (): Promise<Record<string, unknown>> => {
    const { stdout } = await assent(['archive', 'status', '--json'], env);
    return Object.fromEntries(
      JSON.parse(stdout).map(({ what, value }: { what: string; value: unknown }) => [what, value]),
    );
  };

  async function asOwner(sql: string): Promise<void> {
    const client = new pg.Client({ host: join(folder.path, 'postgres'), user: 'assent', database: 'assent' });
    await client.connect();
    await client.query(sql).finally(() => client.end());
  }

  test('comes under a checkpoint by itself, which is also kept outside the database', async () => {
    const { apiKey } = folder.sandbox();
    const token = (await assent(['token', '--advisor', 'avery@sandbox.example'], env)).stdout.trim();
    const answer = await server.fetch('/v1/text/messaging/messages', {
      method: 'POST',
      headers: { authorization: `Bearer ${token}`, 'x-api-key': apiKey, 'content-type': 'application/json' },
      body: JSON.stringify({ phone: '+15005550006', text: 'Naïve café ☕' }),
    });
    assert.equal(answer.status, 200);
    await until('all is signed', async () => (await status()).waiting === 0, 20_000);
    const { signed, keptOutside, fault } = await status();
    assert.ok(Number(signed) > 0);
    assert.equal(fault, null);
    await until('it is kept outside', async () => (await status()).keptOutside === (await status()).signed, 20_000);
    assert.ok(existsSync(outside) && Number(keptOutside) > 0);
    const { status: code, stdout } = await verify();
    assert.equal(code, 0, stdout);
    assert.match(stdout, /^intact: \d+ entries/);
  });

  test('is handed to an examiner, who checks it without the server', async () => {
    const said = await assent(['archive', 'public-key'], env);
    writeFileSync(pubkey, said.stdout);
    const period = ['--from', '2020-01-01', '--to', '2100-01-01'];
    const words = [
      'archive',
      'export',
      '--advisor',
      'avery@sandbox.example',
      ...period,
      '--format',
      'eml',
      '--out',
      exported,
    ];
    assert.equal((await assent(words, env)).status, 0);
    const check = [
      'archive',
      'verify',
      '--package',
      exported,
      '--checkpoint',
      join(exported, 'checkpoint'),
      '--pubkey',
      pubkey,
    ];
    // A folder that has no database, and stays so.
    const nowhere = { ASSENT_DATA_DIR: join(papers, 'nowhere') };
    const { status: code, stdout } = await assent(check, nowhere);
    assert.equal(code, 0, stdout);
    assert.ok(!existsSync(nowhere.ASSENT_DATA_DIR));
    assert.ok(readFileSync(join(exported, 'entries.ndjson'), 'utf8').includes('Naïve café ☕'));
  });

  test('that somebody has altered is named, and signed no further', async () => {
    await asOwner(
      `alter table archive_bodies disable trigger append_only;
       update archive_bodies b set body = 'forged' from archive_entries e
       where e.advisor_id = b.advisor_id and e.number = b.number and e.kind = 'text_out';
       alter table archive_bodies enable always trigger append_only`,
    );
    const altered = await verify();
    assert.equal(altered.status, 1);
    assert.match(altered.stdout, /^altered: .*\nentry \d+ of advisor \d+: its body was altered/);
    await asOwner("update archive_tree set root = sha256('forged')");
    await until('it says so', async () => (await status()).fault !== null, 20_000);
    const waiting = await assent(['archive', 'status'], env);
    assert.equal(waiting.status, 1);
    assert.match(server.said(), /nothing more is signed/);
  });
});
