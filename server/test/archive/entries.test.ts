import assert from 'node:assert/strict';
import { after, suite, test } from 'node:test';
import { defaultPlan, issueApiKey, revokeApiKey, setApiKeyPlan, unlimited } from '../../src/domain/access/api-keys.ts';
import {
  addApplication,
  disableApplication,
  rotateSecret,
  setApplication,
} from '../../src/domain/access/applications.ts';
import { disconnect, provision, unprovision } from '../../src/domain/access/grants.ts';
import { textScopes } from '../../src/domain/access/scopes.ts';
import { issueArchivedToken } from '../../src/domain/access/tokens.ts';
import { addAdvisor, setAdvisor } from '../../src/domain/accounts/advisors.ts';
import { addFirm, setFirm } from '../../src/domain/accounts/firms.ts';
import { addStaff, setStaff } from '../../src/domain/accounts/staff.ts';
import { deployment } from '../../src/domain/archive/archive.ts';
import { sendDueMessages } from '../../src/domain/messages/due-messages.ts';
import { setRetention } from '../../src/domain/record-keeping/retention.ts';
import { makeSandbox } from '../../src/domain/sandbox/sandbox.ts';
import { forgetExpiredSignIns } from '../../src/domain/sign-in/sign-ins.ts';
import { setWording } from '../../src/domain/texting/wordings.ts';
import { insertNumberedEntries } from '../../src/store/archive/archive.ts';
import { makeAdvisorApp, password } from '../support/advisor-app.ts';
import { makePasskey } from '../support/authenticator.ts';
import { acceptedPhone, scheduledMessagesPath, send, setConsent } from '../support/texting.ts';

const pages = await makeAdvisorApp();
after(() => pages.close());
const { world, client } = pages;
const { deps, database, clock, ann, bob } = world;
const { firmId } = ann.advisor;

type Entry = {
  number: number;
  kind: string;
  actor: string;
  traceId: string | null;
  // biome-ignore lint/suspicious/noExplicitAny: each test knows what its entries contain.
  meta: any;
  body: string;
};

/** An advisor's entries after a number. */
async function entriesOf(advisorId: number, after = 0): Promise<Entry[]> {
  const rows = await database.asOwner<Entry>(
    `select number::integer, kind, actor, trace_id as "traceId", meta, convert_from(body, 'UTF8') as body
     from archive_entries
     join archive_bodies using (advisor_id, number)
     where advisor_id = $1 and number > $2
     order by number`,
    [advisorId, after],
  );
  return rows.map((row) => ({ ...row, meta: JSON.parse(row.meta) }));
}

async function headOf(advisorId: number): Promise<number> {
  return (await entriesOf(advisorId)).at(-1)?.number ?? 0;
}

/** Every entry that something wrote, for any advisor. */
async function writtenBy(act: () => Promise<unknown>): Promise<(Entry & { book: number })[]> {
  const heads = () =>
    database.asOwner<{ book: number; last: number }>(
      'select advisor_id::integer as book, last_number::integer as last from archive_heads',
    );
  const before = new Map((await heads()).map(({ book, last }) => [book, last]));
  await act();
  const written = [];
  for (const { book } of await heads())
    for (const entry of await entriesOf(book, before.get(book) ?? 0)) written.push({ book, ...entry });
  return written;
}

test('every change of a setting is one entry, the advisor’s or the deployment’s; without a change there is none', async () => {
  const { application, clientSecret } = await addApplication(deps, { name: 'CRM', redirectUris: [] });
  const { clientId } = application;
  const { keyId, apiKey } = await issueApiKey(deps, clientId);
  const { advisorId } = bob.advisor;
  const secret = 'correct horse battery';
  const secrets = [clientSecret, apiKey, secret];
  const noted = async (secret: Promise<string>) => secrets.push(await secret);
  const change: [string, number, () => Promise<unknown>][] = [
    ['firm added', deployment, () => addFirm(deps, 'New Firm')],
    ['firm set', deployment, () => setFirm(deps, firmId, { firstTextLine: true })],
    ['firm set', deployment, () => setFirm(deps, firmId, { optOutScope: 'firm' })],
    ['retention set', deployment, () => setRetention(deps, firmId, 8)],
    ['wording set', deployment, () => setWording(deps, firmId, { kind: 'help', text: '{firm}: reply STOP.' })],
    ['advisor set', advisorId, () => setAdvisor(deps, advisorId, { quietHours: 'defer', name: 'bob' })],
    ['advisor set', advisorId, () => setAdvisor(deps, advisorId, { password: secret })],
    ['application added', deployment, () => addApplication(deps, { name: 'Other CRM', redirectUris: [] })],
    ['application set', deployment, () => setApplication(deps, clientId, { scopes: textScopes })],
    ['application secret rotated', deployment, () => noted(rotateSecret(deps, clientId))],
    ['application provisioned', advisorId, () => provision(deps, advisorId, clientId)],
    ['token issued', advisorId, () => noted(issueArchivedToken(deps, { clientId, advisorId, scopes: textScopes }))],
    ['application disconnected', advisorId, () => disconnect(deps, clientId, advisorId)],
    ['application disconnected', deployment, () => disconnect(deps, clientId, null)],
    ['application unprovisioned', advisorId, () => unprovision(deps, advisorId, clientId)],
    ['key issued', deployment, () => noted(issueApiKey(deps, clientId).then((key) => key.apiKey))],
    ['key plan set', deployment, () => setApiKeyPlan(deps, keyId, unlimited)],
    ['key revoked', deployment, () => revokeApiKey(deps, keyId)],
    ['application disabled', deployment, () => disableApplication(deps, clientId)],
  ];
  for (const [what, book, act] of change) {
    const written = await writtenBy(act);
    assert.deepEqual(
      written.map((each) => [each.book, each.kind, each.actor, each.meta.what]),
      [[book, what === 'retention set' ? 'retention' : 'setting', 'operator', what]],
    );
  }
  const nothing: (() => Promise<unknown>)[] = [
    () => setFirm(deps, firmId, { firstTextLine: true }),
    () => setRetention(deps, firmId, 8),
    () => setAdvisor(deps, advisorId, { quietHours: 'defer' }),
    () => setApplication(deps, clientId, { scopes: textScopes }),
    () => disconnect(deps, clientId, advisorId),
    () => setApiKeyPlan(deps, keyId, unlimited),
    () => revokeApiKey(deps, keyId),
    () => disableApplication(deps, clientId),
    () => assert.rejects(setApiKeyPlan(deps, 999_999, defaultPlan)),
    () => assert.rejects(setAdvisor(deps, advisorId, { email: ann.advisor.email })),
    () => assert.rejects(unprovision(deps, advisorId, clientId)),
  ];
  for (const act of nothing) assert.deepEqual(await writtenBy(act), [], act.toString());

  const all = [...(await entriesOf(advisorId)), ...(await entriesOf(deployment))];
  const written = all.map(({ meta, body }) => JSON.stringify(meta) + body).join('\n');
  for (const secret of secrets) assert.ok(!written.includes(secret));
  assert.doesNotMatch(written, /hash|argon2/i);
  const quiet = all.find(({ body }) => body.includes('quietHours') && body.includes('"from"'));
  assert.deepEqual(JSON.parse(quiet?.body ?? ''), { quietHours: { from: 'off', to: 'defer' } });
});

test('an advisor’s first entry says that they were added', async () => {
  const written = await writtenBy(() =>
    addAdvisor(deps, { firmId, name: 'Nia', email: 'nia@test.example', password: 'a long secret' }),
  );
  const [{ number, meta, body } = { number: 0, meta: {}, body: '{}' }] = written;
  assert.deepEqual([written.length, number, meta], [1, 1, { what: 'advisor added', firmId }]);
  assert.equal(JSON.parse(body).email, 'nia@test.example');
});

test('entries that are added together are numbered in their order, in each advisor’s book', async () => {
  const [one, two] = [ann.advisor.advisorId, bob.advisor.advisorId];
  const heads = new Map([
    [one, await headOf(one)],
    [two, await headOf(two)],
  ]);
  const books = [two, one, two, two, one];
  const given = books.map((advisorId, index) => ({ advisorId, kind: 'setting' as const, body: `Entry ${index}` }));
  const common = { memberId: null, actor: 'operator', traceId: null, meta: {} };
  const numbers = await insertNumberedEntries(
    deps.db,
    given.map((entry) => ({ ...entry, ...common })),
    clock.now(),
  );
  const [a = 0, b = 0] = [heads.get(one), heads.get(two)];
  assert.deepEqual(numbers, [b + 1, a + 1, b + 2, b + 3, a + 2]);
  assert.deepEqual(
    (await entriesOf(two, b)).map(({ number, body }) => [number, body]),
    [
      [b + 1, 'Entry 0'],
      [b + 2, 'Entry 2'],
      [b + 3, 'Entry 3'],
    ],
  );
});

test('adding, disabling and enabling staff are entries of the deployment', async () => {
  const written = await writtenBy(async () => {
    const { staffId } = await addStaff(deps, { firmId, name: 'Sue', email: 'sue@test.example' });
    for (const disabled of [true, true, false, false]) await setStaff(deps, staffId, { disabled });
    await setStaff(deps, staffId, { disabled: true });
    await setStaff(deps, staffId, { disabled: false, role: 'reviewer' });
    await setStaff(deps, staffId, { disabled: true });
    await setStaff(deps, staffId, { role: 'compliance_officer' });
  });
  assert.deepEqual(
    written.map(({ book, kind, actor, meta }) => [book, kind, actor, meta.action]),
    ['added', 'disabled', 'enabled', 'disabled', 'role changed', 'enabled', 'disabled', 'role changed'].map(
      (action) => [deployment, 'staff', 'operator', action],
    ),
    'a role that changes disables and enables nobody',
  );
  const { role } = JSON.parse(written.at(-1)?.body ?? '');
  assert.deepEqual(role, { from: 'reviewer', to: 'compliance_officer' });
});

test('a sandbox that restarts writes no entry', async () => {
  const sandbox = await makeSandbox(deps, null);
  assert.deepEqual(await writtenBy(() => makeSandbox(deps, sandbox)), []);
});

suite('schedules', () => {
  const hourMs = 3_600_000;

  async function schedule(phone: string, frequency = 0) {
    const deliveryDate = clock.now().getTime() + hourMs;
    const body = { phone, text: 'Your review is due.', scheduleDelivery: true, deliveryDate, frequency };
    const answer = await send(ann, body);
    return { id: answer.body.successes[0].scheduledMessageId, traceId: answer.headers['x-trace-id'], deliveryDate };
  }

  const schedulesSince = async (after: number) =>
    (await entriesOf(ann.advisor.advisorId, after)).filter(({ kind }) => kind === 'schedule');

  test('that are created and canceled are entries by the application, with the request’s trace id', async () => {
    const before = await headOf(ann.advisor.advisorId);
    const phone = await acceptedPhone(world, ann);
    const { id, traceId, deliveryDate } = await schedule(phone);
    const { headers } = await ann.call('DELETE', `${scheduledMessagesPath}/${id}`);
    assert.equal((await ann.call('DELETE', `${scheduledMessagesPath}/${id}`)).status, 404);
    const [created, canceled, ...more] = await schedulesSince(before);
    assert.deepEqual(more, []);
    assert.match(created?.actor ?? '', /^application:/);
    assert.deepEqual([created?.traceId, canceled?.traceId], [traceId, headers['x-trace-id']]);
    const date = new Date(deliveryDate).toISOString();
    assert.deepEqual(created?.meta, { action: 'created', scheduledMessageId: id, deliveryDate: date });
    assert.deepEqual(JSON.parse(created?.body ?? ''), {
      scheduledMessageId: id,
      phone,
      text: 'Your review is due.',
      firstDate: date,
      timeZone: ann.advisor.timeZone,
      frequency: 0,
      deliveryDate: date,
      status: 'scheduled',
      reason: null,
    });
    assert.deepEqual([canceled?.meta.action, JSON.parse(canceled?.body ?? '').status], ['canceled', 'canceled']);
  });

  test('that are sent, repeated or skipped are entries, each once however many nodes there are', async () => {
    const stopped = await acceptedPhone(world, ann);
    await schedule(await acceptedPhone(world, ann));
    await schedule(await acceptedPhone(world, ann), 1);
    await schedule(stopped);
    await schedule(stopped, 2);
    await setConsent(world, ann, stopped, 'opted_out');
    const before = await headOf(ann.advisor.advisorId);
    await clock.advance(2 * hourMs);
    await Promise.all([sendDueMessages(deps), sendDueMessages(deps)]);
    // Two nodes share what is due, so either's entries may come first.
    const entries = await schedulesSince(before);
    entries.sort((one, other) => one.meta.scheduledMessageId - other.meta.scheduledMessageId);
    assert.deepEqual(
      entries.map(({ actor, meta, body }) => [actor, meta.action, JSON.parse(body).status, meta.reason]),
      [
        ['service', 'completed', 'completed', undefined],
        ['service', 'repeated', 'scheduled', undefined],
        ['service', 'skipped', 'skipped', 'opted_out'],
        ['service', 'skipped', 'scheduled', 'opted_out'],
      ],
    );
  });
});

suite('sign-ins', () => {
  const { advisorId, email } = ann.advisor;
  const since = async (after: number) =>
    (await entriesOf(advisorId, after)).flatMap(({ kind, actor, traceId, meta, body }) => {
      assert.ok(!body.includes(password));
      return kind === 'sign_in' ? [{ actor, hasTrace: traceId !== null, ...meta }] : [];
    });
  const byAnn = { actor: `advisor:${advisorId}`, hasTrace: true };

  test('by password and by passkey are entries, and so are added and removed passkeys', async () => {
    const before = await headOf(advisorId);
    const visitor = pages.visitor();
    await visitor.signIn(email, password);
    await visitor.get('/passkeys');
    const passkey = makePasskey(world.config.publicUrl);
    const { body: options } = await visitor.postJson('/passkeys/options', {});
    await visitor.postJson('/passkeys', { response: passkey.register(options) });
    const other = pages.visitor();
    await other.get('/sign-in');
    const { body: asked } = await other.postJson('/sign-in/passkey/options', {});
    await other.postJson('/sign-in/passkey', { response: passkey.signIn(asked, advisorId) });
    await visitor.get('/passkeys');
    for (let twice = 0; twice < 2; twice += 1) await visitor.post('/passkeys/remove', { passkeyId: passkey.id });
    assert.deepEqual(await since(before), [
      { ...byAnn, action: 'signed in', method: 'password' },
      { ...byAnn, action: 'passkey added' },
      { ...byAnn, action: 'signed in', method: 'passkey' },
      { ...byAnn, action: 'passkey removed' },
    ]);
  });

  test('that fail are counted: one entry per minute, and none for an account that doesn’t exist', async () => {
    const before = await headOf(advisorId);
    const visitor = pages.visitor('203.0.113.50');
    for (let wrong = 0; wrong < 3; wrong += 1) await visitor.signIn(email, 'wrong');
    await visitor.signIn('nobody@test.example', 'wrong');
    await forgetExpiredSignIns(deps);
    assert.deepEqual(await since(before), [], 'the minute is not over');
    await clock.advance(60_000);
    assert.equal((await writtenBy(() => forgetExpiredSignIns(deps))).length, 1);
    const failed = { actor: 'visitor', hasTrace: true, action: 'sign-in failed', method: 'password', failures: 3 };
    assert.deepEqual(await since(before), [failed]);
    assert.deepEqual(await writtenBy(() => forgetExpiredSignIns(deps)), []);
    assert.deepEqual(await database.asOwner('select from sign_in_failures'), []);
  });

  test('to applications are entries: allowed or disconnected by the advisor, given up by the application, ended by a code used twice', async () => {
    const tokens = await client.tokens(ann, 'openid offline_access core.contacts.read');
    const before = await headOf(advisorId);
    const visitor = pages.visitor();
    await visitor.signIn(email, password);
    await visitor.get('/connected-apps');
    const { clientId, clientSecret } = client;
    for (let twice = 0; twice < 2; twice += 1) await visitor.post('/connected-apps/disconnect', { clientId });
    assert.ok(tokens.refresh_token);
    const { refresh_token: token } = await client.tokens(ann, 'openid offline_access core.contacts.read');
    const revoke = { client_id: clientId, client_secret: clientSecret, token };
    for (let twice = 0; twice < 2; twice += 1) await client.post('/oauth/revoke', revoke);
    const code = await client.code(ann, 'openid core.contacts.read');
    for (let twice = 0; twice < 2; twice += 1) await client.redeem(code);
    const written = (await since(before)).filter(({ action }) => action?.startsWith('application'));
    const [application] = await database.asOwner<{ id: number }>(
      'select application_id::integer as id from applications where client_id = $1',
      [clientId],
    );
    const applicationId = application?.id;
    assert.deepEqual(written, [
      { ...byAnn, action: 'application disconnected', applicationId, clientId },
      { ...byAnn, action: 'application allowed', applicationId, clientId },
      { actor: `application:${applicationId}`, hasTrace: true, action: 'application disconnected', applicationId },
      { ...byAnn, action: 'application allowed', applicationId, clientId },
      { actor: 'service', hasTrace: true, action: 'application tokens ended', applicationId, clientId },
    ]);
  });
});
