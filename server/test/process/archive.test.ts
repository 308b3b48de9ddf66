import assert from 'node:assert/strict';
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, suite, test } from 'node:test';
import { runCommand } from '../support/commands.ts';
import { assent, type Deployment, makeDeployment, type Program, startServer } from '../support/programs.ts';
import { commandPollMs, until } from '../support/waiting.ts';

suite('a sandbox’s archive', () => {
  const papers = mkdtempSync(join(tmpdir(), 'assent-archive-'));
  const [pubkey, exported] = [join(papers, 'archive.pub'), join(papers, 'package')];
  let deployment: Deployment;
  let server: Program;
  before(async () => {
    deployment = await makeDeployment();
    server = await startServer(deployment.env);
  });
  after(async () => {
    await server?.stop();
    await deployment.remove();
    rmSync(papers, { recursive: true, force: true });
  });

  const run = (...args: string[]) => runCommand(args, deployment.env);
  const verify = () => run('archive', 'verify');
  const status = async (): Promise<Record<string, unknown>> => {
    const { stdout } = await run('archive', 'status', '--json');
    return Object.fromEntries(
      JSON.parse(stdout).map(({ what, value }: { what: string; value: unknown }) => [what, value]),
    );
  };

  test('is put under a checkpoint, which is also kept outside the database', async () => {
    const { apiKey } = deployment.folder.sandbox();
    const token = (await run('token', '--advisor', 'avery@sandbox.example')).stdout.trim();
    const answer = await server.fetch('/v1/text/messaging/messages', {
      method: 'POST',
      headers: { authorization: `Bearer ${token}`, 'x-api-key': apiKey, 'content-type': 'application/json' },
      body: JSON.stringify({ phone: '+15005550006', text: 'Naïve café ☕' }),
    });
    assert.equal(answer.status, 200);
    const isKept = async () => {
      const { waiting, signed, keptOutside, fault } = await status();
      assert.equal(fault, null);
      return waiting === 0 && Number(signed) > 0 && keptOutside === signed;
    };
    await until('all is signed and kept outside', isKept, undefined, commandPollMs);
    const outside = join(deployment.folder.path, 'archive-outside', 'checkpoints');
    assert.ok(existsSync(outside));
    const { status: code, stdout } = await verify();
    assert.equal(code, 0, stdout);
    assert.match(stdout, /^intact: \d+ entries/);
  });

  test('can be exported for an examiner, who checks it without the server', async () => {
    const said = await run('archive', 'public-key');
    writeFileSync(pubkey, said.stdout);
    const period = ['--from', '2020-01-01', '--to', '2100-01-01'];
    const whose = ['--advisor', 'avery@sandbox.example', ...period];
    assert.equal((await run('archive', 'export', ...whose, '--format', 'eml', '--out', exported)).status, 0);
    const check = ['--package', exported, '--checkpoint', join(exported, 'checkpoint'), '--pubkey', pubkey];
    // A folder without a database, in which none is made.
    const nowhere = { ASSENT_DATA_DIR: join(papers, 'nowhere') };
    const { status: code, stdout } = await assent(['archive', 'verify', ...check], nowhere);
    assert.equal(code, 0, stdout);
    assert.ok(!existsSync(nowhere.ASSENT_DATA_DIR));
    assert.ok(readFileSync(join(exported, 'entries.ndjson'), 'utf8').includes('Naïve café ☕'));
  });

  test('is no longer signed once an entry was altered, and the entry is named', async () => {
    await deployment.database.asOwner(
      `alter table archive_bodies disable trigger user;
       update archive_bodies b set body = 'forged' from archive_entries e
       where e.advisor_id = b.advisor_id and e.number = b.number and e.kind = 'text_out';
       alter table archive_bodies enable trigger user`,
    );
    const altered = await verify();
    assert.equal(altered.status, 1);
    assert.match(altered.stdout, /^altered: .*\nentry \d+ of advisor \d+: its body was altered/);
    await deployment.database.asOwner("update archive_tree set root = sha256('forged')");
    await until('the status shows a fault', async () => (await status()).fault !== null, undefined, commandPollMs);
    const waiting = await run('archive', 'status');
    assert.equal(waiting.status, 1);
    // The database has the fault before the log does.
    await until('the log says so', () => server.said().includes('nothing more is signed'));
  });
});
