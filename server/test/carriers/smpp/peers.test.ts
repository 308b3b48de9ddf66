import assert from 'node:assert/strict';
import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { suite, type TestContext, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { freePort } from '../../support/programs.ts';
import { until } from '../../support/waiting.ts';
import { ours, person, startEsme } from './esme.ts';

const perlSmsc = fileURLToPath(new URL('smsc.pl', import.meta.url));
const hasPerl = spawnSync('perl', ['-MNet::SMPP', '-e', '1'], { stdio: 'ignore' }).status === 0;
const driveSmpp = '/usr/lib/kannel/test/drive_smpp';

/** Runs another program's SMSC until the test ends; its lines are what it says. */
function run(t: TestContext, program: string, args: string[]): { said(): string; child: ChildProcess } {
  const child = spawn(program, args, { stdio: ['ignore', 'pipe', 'pipe'] });
  let said = '';
  for (const stream of [child.stdout, child.stderr])
    stream.setEncoding('utf8').on('data', (text) => {
      said += text;
    });
  const ended = new Promise((resolve) => child.once('close', resolve));
  t.after(async () => {
    child.kill('SIGKILL');
    await ended;
  });
  return { said: () => said, child };
}

suite('other people’s SMSCs', () => {
  test('Perl’s Net::SMPP', { skip: hasPerl ? false : 'there is no Net::SMPP' }, async (t) => {
    const smsc = run(t, 'perl', [perlSmsc]);
    await until('it listens', () => /^port \d+$/m.test(smsc.said()));
    const esme = startEsme(Number(/^port (\d+)$/m.exec(smsc.said())?.[1]), { messageIds: 'hex' });
    t.after(() => esme.stop());
    await esme.bound();
    assert.deepEqual(await esme.submit({ text: 'Hi {€}', reference: 0x10007 }), { accepted: '32' });
    assert.deepEqual(await esme.submit({ text: '王😀' }), { accepted: '33' });
    await until('receipts and replies came', () => esme.receipts.length === 2 && esme.replies.length === 2);
    assert.deepEqual(esme.receipts[0], {
      carrierMessageId: '32',
      status: 'delivered',
      from: ours,
      to: person,
      reference: 7,
    });
    assert.deepEqual(
      esme.replies.map(({ from, to, text }) => [from, to, text]),
      Array(2).fill([person, ours, 'Got it €']),
    );
    await esme.stop();
    await until('it saw the end', () => smsc.said().includes('unbound'));
    assert.deepEqual(smsc.said().trim().split('\n').slice(1).sort(), [
      'bind assent secret',
      'confirmed 0',
      'confirmed 0',
      'confirmed 0',
      'confirmed 0',
      'text 15005552000 12125550123 0 0 4869201b281b651b29 7',
      'text 15005552000 12125550123 8 0 738bd83dde00 ',
      'unbound',
    ]);
  });

  test('Kannel’s drive_smpp', { skip: existsSync(driveSmpp) ? false : `there is no ${driveSmpp}` }, async (t) => {
    const folder = mkdtempSync(join(tmpdir(), 'assent-kannel-'));
    t.after(() => rmSync(folder, { recursive: true, force: true }));
    const config = join(folder, 'kannel.conf');
    writeFileSync(config, 'group = core\nadmin-port = 1\nsmsbox-port = 1\nadmin-password = none\n');
    const port = await freePort();
    const smsc = run(t, driveSmpp, ['-v', '0', '-p', String(port), '-m', '3', '-c', config]);
    const esme = startEsme(port, { bindAs: 'transmitter_and_receiver' });
    t.after(() => esme.stop());
    await esme.bound(2);
    await until('its three texts came', () => esme.replies.length === 3);
    assert.deepEqual(
      esme.replies.map(({ text }) => text),
      ['1', '2', '3'],
    );
    assert.ok('accepted' in (await esme.submit({ text: 'Hello, Kannel' })));
    await until('it took ours', () => smsc.said().includes('short_message = <Hello, Kannel>'));
    await until('all were confirmed', () => smsc.said().split('PDU of type deliver_sm_resp').length === 4);
    assert.match(smsc.said(), /PDU of type enquire_link_resp/);
  });
});
