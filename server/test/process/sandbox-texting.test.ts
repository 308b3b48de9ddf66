import assert from 'node:assert/strict';
import { after, before, suite, test } from 'node:test';
import type { SandboxFile } from '../../src/domain/sandbox/sandbox.ts';
import { runCommand } from '../support/commands.ts';
import { credentials } from '../support/nodes.ts';
import { type Deployment, freePort, makeDeployment, type Program, startServer } from '../support/programs.ts';
import { until } from '../support/waiting.ts';

type Body = Record<string, unknown> | undefined;
// biome-ignore lint/suspicious/noExplicitAny: tests read bodies of every shape.
type Answer = { status: number; body: any };

/** The sandbox as partners see it: over HTTP, with sandbox.json and phones that reply. */
suite('texting in the sandbox', () => {
  let deployment: Deployment;
  let env: Record<string, string>;
  let program: Program;
  let sandbox: SandboxFile;
  const tokens = new Map<string, string>();

  before(async () => {
    deployment = await makeDeployment();
    env = { ...deployment.env, PORT: String(await freePort()), LOG_LEVEL: 'info' };
    program = await startServer(env);
    sandbox = deployment.folder.sandbox();
    for (const { email } of sandbox.advisors)
      tokens.set(email.split('@')[0] ?? '', (await runCommand(['token', '--advisor', email], env)).stdout.trim());
  });
  after(async () => {
    if (!program.hasEnded()) await program.stop();
    await deployment.remove();
  });

  async function fetched(url: string, headers: Record<string, string>, body: Body, method?: string): Promise<Answer> {
    const answer = await fetch(url, {
      method: method ?? (body ? 'POST' : 'GET'),
      headers: { ...headers, ...(body ? { 'content-type': 'application/json' } : {}) },
      body: body && JSON.stringify(body),
    });
    const text = await answer.text();
    return { status: answer.status, body: text && JSON.parse(text) };
  }

  const call = (advisor: string, path: string, body?: Body, method?: string): Promise<Answer> =>
    fetched(`${sandbox.baseUrl}${path}`, credentials(tokens.get(advisor) ?? '', sandbox.apiKey), body, method);
  const onSandbox = (path: string, body?: Body): Promise<Answer> =>
    fetched(`${new URL(sandbox.baseUrl).origin}/sandbox${path}`, { 'x-api-key': sandbox.apiKey }, body);

  const send = (advisor: string, phone: string, text: string) =>
    call(advisor, '/text/messaging/messages', { phone, text });
  const consent = async (advisor: string, phone: string, more = '') =>
    call(advisor, `/text/messaging/consents?phone=${encodeURIComponent(phone)}${more}`);
  const request = (advisor: string, ...phoneNumbers: string[]) =>
    call(advisor, '/text/messaging/consent-requests', { phoneNumbers });
  const handset = async (phone: string): Promise<{ text: string; from: string }[]> =>
    (await onSandbox(`/handset/${encodeURIComponent(phone)}/messages`)).body.data;
  const textingNumber = (advisor: string) =>
    sandbox.advisors.find(({ email }) => email.startsWith(advisor))?.textingNumber ?? '';

  test('follows the contract’s canonical flow: refused, asked, accepted, sent, on the phone', async () => {
    const phone = '+12125550170';
    const refused = await send('avery', phone, 'Hello');
    assert.deepEqual([refused.status, refused.body.successes], [200, []]);
    assert.equal(refused.body.failureDetails[0].code, 'not_consented');

    const asked = await request('avery', phone);
    assert.deepEqual([asked.status, asked.body.successes[0].consentState], [200, 'pending']);
    await until('the request is on the phone', async () => (await handset(phone)).length === 1);
    assert.equal((await send('avery', phone, 'Hello')).body.failureDetails[0].code, 'consent_pending');

    const held = consent('avery', phone, '&wait=20');
    const replied = await onSandbox(`/handset/${encodeURIComponent(phone)}/replies`, {
      to: textingNumber('avery'),
      text: 'accept.',
    });
    assert.equal(replied.status, 202);
    assert.equal((await held).body.state, 'accepted');

    const sent = await send('avery', phone, 'Hello at last');
    assert.deepEqual(sent.body.failures, []);
    await until('the text is on the phone', async () =>
      (await handset(phone)).some(({ text, from }) => text === 'Hello at last' && from === textingNumber('avery')),
    );
  });

  const answers = [
    { phone: '+15005550010', state: 'accepted' },
    { phone: '+15005550011', state: 'opted_out' },
    { phone: '+15005550012', state: 'pending' },
    { phone: '+15005550013', state: 'pending' },
    { phone: '+15005550016', state: 'opted_out' },
  ];
  for (const { phone, state } of answers)
    test(`asked for consent, ${phone} is ${state}`, async () => {
      assert.equal((await consent('avery', phone)).body.state, 'none');
      assert.equal((await request('avery', phone)).status, 200);
      await until(`${phone} is ${state}`, async () => (await consent('avery', phone)).body.state === state);
      const texts = { accepted: 2, opted_out: 2, pending: phone.endsWith('13') ? 2 : 1 }[state] ?? 0;
      await until('its texts have arrived', async () => (await handset(phone)).length === texts);
    });

  test('starts with the same consent states for every advisor', async () => {
    for (const advisor of ['avery', 'blake', 'casey']) {
      for (const end of ['0006', '0001', '0003', '0007', '0008', '0009', '0021', '0022'])
        assert.equal((await consent(advisor, `+1500555${end}`)).body.state, 'accepted', `${advisor} ${end}`);
      assert.equal((await consent(advisor, '+15005550004')).body.state, 'opted_out');
    }
    assert.equal((await consent('devon', '+15005550006')).status, 404);
    assert.equal((await send('devon', '+15005550006', 'Hi')).body.successes.length, 1);
    // Later tests count the texts of this phone.
    await until('it is on the phone', async () => (await handset('+15005550006')).some(({ text }) => text === 'Hi'));
    assert.equal((await consent('devon', '+15005550006')).body.state, 'accepted');
    assert.equal((await send('devon', '+15005550004', 'Hi')).body.failureDetails[0].code, 'opted_out');
  });

  test('ellis’s firm has production’s defaults: a line after the first text to a person, and only there', async () => {
    const ofEllis = async () => (await handset('+15005550006')).filter(({ from }) => from === '+15005551005');
    for (const text of ['Hello', 'Again']) {
      assert.equal((await send('ellis', '+15005550006', text)).body.successes.length, 1);
      await until(`${text} has arrived`, async () => (await ofEllis()).at(-1)?.text.startsWith(text) ?? false);
    }
    assert.deepEqual(
      (await ofEllis()).map(({ text }) => text),
      ['Hello\nHarbor Point Advisors. Reply STOP to opt out.', 'Again'],
    );
    assert.equal((await consent('ellis', '+15005550004')).status, 404);
  });

  test('blake’s requests are 409 without effect, checked after 400; casey needs no consent', async () => {
    const phone = '+12125550171';
    const refused = await request('blake', phone);
    assert.deepEqual([refused.status, refused.body.code], [409, 'conflict']);
    assert.equal((await consent('blake', phone)).status, 404);
    assert.equal((await request('blake', '+15005550006')).status, 400);
    assert.equal((await send('blake', phone, 'Hi')).body.failureDetails[0].code, 'not_consented');
    assert.equal((await send('casey', phone, 'Hi')).body.successes.length, 1);
    assert.equal((await request('casey', '+12125550172')).body.successes[0].consentState, 'pending');
  });

  test('moving the clock past a schedule answers once the text is on the phone', async () => {
    const phone = '+15005550006';
    const before = (await handset(phone)).length;
    const { now } = (await onSandbox('/clock')).body;
    const body = { phone, text: 'Happy birthday', scheduleDelivery: true, deliveryDate: now + 3_600_000 };
    assert.equal((await call('avery', '/text/messaging/messages', body)).body.successes[0].messageId, null);
    const moved = await onSandbox('/clock', { advanceMs: 3_600_001 });
    assert.equal(moved.status, 200);
    const received = await handset(phone);
    assert.equal(received.length, before + 1);
    assert.equal(received.at(-1)?.text, 'Happy birthday');
  });

  test('logs no texts and no numbers of people', () => {
    for (const secret of ['+1212555017', '2125550170', 'Hello', 'accept.', 'Happy birthday'])
      assert.ok(
        !program
          .said()
          .replace(/^[\s\S]*?Ctrl-C stops it\./, '')
          .includes(secret),
        secret,
      );
  });

  test('keeps everything across a restart', async () => {
    await program.stop();
    program = await startServer(env);
    assert.equal((await consent('avery', '+15005550010')).body.state, 'accepted');
    assert.equal((await consent('avery', '+15005550011')).body.state, 'opted_out');
    assert.equal((await handset('+15005550011')).length, 2);
  });
});
