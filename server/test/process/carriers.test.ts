import assert from 'node:assert/strict';
import { after, before, suite, test } from 'node:test';
import { type Smsc, startSmsc } from '../carriers/smpp/smsc.ts';
import { runCommand } from '../support/commands.ts';
import { type Deployment, makeDeployment, type Program, startServer } from '../support/programs.ts';
import { until } from '../support/waiting.ts';

const wrongPassword = 0x0e;

suite('a process and its carriers', () => {
  let deployment: Deployment;
  let program: Program;
  let smsc: Smsc;
  before(async () => {
    smsc = await startSmsc();
    await smsc.refuseBinds(wrongPassword);
    deployment = await makeDeployment();
    program = await startServer({ ...deployment.env, LOG_LEVEL: 'info' });
  });
  after(async () => {
    if (!program.hasEnded()) await program.stop('SIGKILL');
    await smsc.stop();
    await deployment.remove();
  });

  const lines = () =>
    program
      .said()
      .split('\n')
      .filter((line) => line.startsWith('{'))
      .map((line) => JSON.parse(line));
  const statusRows = async () =>
    (
      await deployment.database.asOwner<{ name: string }>(
        'select name from carrier_status join carriers using (carrier_id)',
      )
    ).map(({ name }) => name);

  test('a refused password is a warning that names the carrier, and so do its other lines', async () => {
    const hosts = [{ host: '127.0.0.1', port: smsc.port }];
    const settings = { hosts, systemId: 'assent', password: 'wrong', times: { reconnectMs: 50 } };
    const add = ['carriers', 'add', 'acme', '--kind', 'smpp', '--settings', '-'];
    assert.equal((await runCommand(add, deployment.env, JSON.stringify(settings))).status, 0);
    await until('it is bound', () => lines().some(({ event }) => event === 'bound'));
    const [refused, bound] = lines().filter(({ connection }) => connection);
    const warn = 40;
    assert.deepEqual([refused.level, refused.carrier, refused.event], [warn, 'acme', 'refused']);
    assert.match(refused.why, /ESME_RINVPASWD/);
    assert.equal(bound.carrier, 'acme');
    assert.ok(!program.said().includes('wrong'), 'the password is in no line');
  });

  test('a clean stop takes its rows out of `carriers status`', async () => {
    const settings = { apiKey: 'KEY', publicKey: Buffer.alloc(32, 1).toString('base64') };
    const add = ['carriers', 'add', 'calls', '--kind', 'telnyx', '--settings', '-'];
    assert.equal((await runCommand(add, deployment.env, JSON.stringify(settings))).status, 0);
    await until('each carrier has its row', async () => (await statusRows()).includes('calls'));
    assert.equal(await program.stop(), 0);
    assert.deepEqual(await statusRows(), []);
  });
});
