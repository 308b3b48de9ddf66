import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { getApplication, setApplication } from '../../src/domain/access/applications.ts';
import { addFirm } from '../../src/domain/accounts/firms.ts';
import { makeStaff, type StaffPerson } from '../support/console.ts';
import { isWaiting } from '../support/database.ts';
import { send, setConsent, statusOf } from '../support/texting.ts';
import { until } from '../support/waiting.ts';
import { makeWorld, type World } from '../support/world.ts';

let world: World;
let operator: StaffPerson;

before(async () => {
  world = await makeWorld();
  operator = await makeStaff(world, { role: 'operator', name: 'Oakley Tran' });
});
after(() => world.close());

async function lastSetting(): Promise<{ actor: string; what: string }> {
  const [entry] = await world.database.asOwner<{ actor: string; meta: string }>(
    "select actor, meta from archive_entries where kind = 'setting' order by recorded_at desc, number desc limit 1",
  );
  return { actor: entry?.actor ?? '', what: JSON.parse(entry?.meta ?? '{}').what };
}

/** A text whose answer the sandbox's carrier loses. */
async function doubt(): Promise<number> {
  const phone = '+15005550022';
  await setConsent(world, world.ann, phone, 'accepted');
  const { messageId } = (await send(world.ann, { phone, text: 'Something private' })).body.successes[0];
  await statusOf(world.ann, messageId, 'in_doubt');
  return messageId;
}

describe('the operator’s pages', () => {
  it('register an application: its secret is in the answer, and never again', async () => {
    const added = await operator.call('POST', '/applications', { name: 'Plan Desk', redirectUris: [] });
    assert.equal(added.status, 200);
    assert.deepEqual(await lastSetting(), { actor: `staff:${operator.staffId}`, what: 'application added' });
    const { clientId, clientSecret } = added.body;
    const rotated = await operator.call('POST', `/applications/${clientId}/secret`);
    assert.notEqual(rotated.body.clientSecret, clientSecret);
    const uris = ['https://plan.example/callback'];
    await operator.call('PUT', `/applications/${clientId}`, { redirectUris: uris, scopes: ['openid'] });
    const { data } = (await operator.call('GET', '/applications')).body;
    const listed = data.find((each: { clientId: string }) => each.clientId === clientId);
    assert.deepEqual([listed.redirectUris, listed.scopes], [uris, ['openid']]);
    assert.doesNotMatch(JSON.stringify(data), /secret/i);
  });

  it('change an application at the same time without undoing each other’s changes', async () => {
    const { body } = await operator.call('POST', '/applications', { name: 'Two Desks', redirectUris: [] });
    const path = `/applications/${body.clientId}`;
    let changing: Promise<{ status: number }> | undefined;
    await world.deps.db.transaction(async (db) => {
      await setApplication({ ...world.deps, db }, body.clientId, { scopes: ['openid'] });
      changing = operator.call('PUT', path, { redirectUris: ['https://plan.example/two'] });
      await until('it waits', () => isWaiting(world.database));
    });
    assert.equal((await changing)?.status, 200);
    const { scopes, redirectUris } = await getApplication(world.deps, body.clientId);
    assert.deepEqual({ scopes, redirectUris }, { scopes: ['openid'], redirectUris: ['https://plan.example/two'] });
  });

  it('issue a key with a plan, change the plan, and revoke it', async () => {
    const plan = { ratePerSecond: 5, burst: 10, dailyQuota: 1000 };
    const { keyId, apiKey } = (await operator.call('POST', `/applications/${world.clientId}/keys`, plan)).body;
    await operator.call('PUT', `/keys/${keyId}`, { ratePerSecond: null, burst: null, dailyQuota: 5 });
    await operator.call('POST', `/keys/${keyId}/revoke`);
    assert.deepEqual(await lastSetting(), { actor: `staff:${operator.staffId}`, what: 'key revoked' });
    const { data } = (await operator.call('GET', '/keys')).body;
    const key = data.find((each: { keyId: number }) => each.keyId === keyId);
    assert.deepEqual([key.revoked, key.dailyQuota, key.ratePerSecond], [true, 5, null]);
    assert.ok(!JSON.stringify(data).includes(apiKey));
    const odd = await operator.call('POST', `/applications/${world.clientId}/keys`, { ...plan, burst: null });
    assert.equal(odd.status, 400);
  });

  it('never show a carrier’s secrets, and keep one that comes back hidden', async () => {
    const settings = { apiKey: 'KEY-1', publicKey: `${'A'.repeat(43)}=` };
    await operator.call('POST', '/carriers', { name: 'acme', kind: 'telnyx', settings });
    const kinds = (await operator.call('GET', '/carriers/kinds')).body.data;
    const fields = kinds.find((each: { kind: string }) => each.kind === 'telnyx').fields;
    assert.equal(fields.find((field: { name: string }) => field.name === 'apiKey').isSecret, true);
    const smpp = kinds.find((each: { kind: string }) => each.kind === 'smpp').fields;
    assert.deepEqual(
      smpp.filter(({ isRequired }: { isRequired: boolean }) => isRequired).map(({ type }: { type: string }) => type),
      ['servers', 'string', 'string'],
    );
    const shown = (await operator.call('GET', '/carriers')).body.data.find(
      ({ name }: { name: string }) => name === 'acme',
    );
    assert.equal(shown.settings.apiKey, '(hidden)');
    const change = { settings: { ...shown.settings, window: 5 } };
    assert.equal((await operator.call('PUT', '/carriers/acme', change)).status, 200);
    assert.deepEqual(await lastSetting(), { actor: `staff:${operator.staffId}`, what: 'carrier set' });
    assert.equal((await operator.call('DELETE', '/carriers/acme')).status, 204);
  });

  it('settle a text in doubt, as sent or not, once, and never send it again', async () => {
    const [first, second] = [await doubt(), await doubt()];
    const { data } = (await operator.call('GET', '/doubts')).body;
    assert.deepEqual(new Set(data.map((each: { messageId: number }) => each.messageId)), new Set([first, second]));
    assert.doesNotMatch(JSON.stringify(data), /Something private|\+1500/);
    const path = (messageId: number) => `/doubts/${world.ann.advisor.advisorId}/${messageId}/settle`;
    assert.equal((await operator.call('POST', path(first), { as: 'sent' })).status, 204);
    assert.equal((await operator.call('POST', path(first), { as: 'not_sent' })).status, 409);
    assert.equal((await operator.call('POST', path(second), { as: 'not_sent' })).status, 204);
    assert.deepEqual(await lastSetting(), { actor: `staff:${operator.staffId}`, what: 'doubt settled' });
    await statusOf(world.ann, first, 'sent');
    assert.equal((await statusOf(world.ann, second, 'failed')).failureCode, 'carrier_unavailable');
    await world.dispatcher.settled();
    assert.equal((await world.database.asOwner('select from dispatches')).length, 0);
  });

  it('read a text in doubt for a reason only, which the advisor’s book keeps', async () => {
    const path = `/doubts/${world.ann.advisor.advisorId}/${await doubt()}/read`;
    assert.equal((await operator.call('POST', path, { reason: '' })).status, 400);
    const { body } = await operator.call('POST', path, { reason: 'The carrier asks for its first words.' });
    assert.equal(body.text, 'Something private');
    const [entry] = await world.database.asOwner<{ actor: string; body: string }>(
      `select actor, convert_from(body, 'UTF8') as body
       from archive_entries join archive_bodies using (advisor_id, number) where kind = 'text_read'`,
    );
    assert.equal(entry?.actor, `staff:${operator.staffId}`);
    assert.equal(JSON.parse(entry?.body ?? '').reason, 'The carrier asks for its first words.');
  });

  it('list the audit log by page, actor and kind, with names and without texts', async () => {
    const all = (await operator.call('GET', '/audit')).body;
    assert.ok(all.data.length > 5);
    assert.doesNotMatch(JSON.stringify(all), /Something private/);
    const mine = (await operator.call('GET', `/audit?actor=staff:${operator.staffId}&kind=setting`)).body.data;
    assert.ok(mine.every((each: { actorName: string }) => each.actorName === 'Oakley Tran'));
    const { data: actors } = (await operator.call('GET', '/audit/actors')).body;
    assert.ok(actors.some((each: { name: string }) => each.name === 'Oakley Tran'));
    for (let made = 0; made < 55; made++) await addFirm(world.deps, `Firm ${made}`);
    const ids: string[] = [];
    for (let cursor: string | null = ''; cursor !== null; ) {
      const page: { data: { id: string }[]; cursor: string | null } = (
        await operator.call('GET', `/audit${cursor && `?cursor=${cursor}`}`)
      ).body;
      ids.push(...page.data.map((each: { id: string }) => each.id));
      cursor = page.cursor;
    }
    const [count] = await world.database.asOwner<{ n: number }>(
      "select count(*)::integer as n from archive_entries where kind in ('setting', 'staff', 'sign_in', 'text_read')",
    );
    assert.deepEqual([ids.length, new Set(ids).size], [count?.n, count?.n]);
    assert.equal((await operator.call('GET', '/audit?cursor=nonsense')).status, 400);
  });

  it('add a firm and an advisor, and invite them with a link that is shown once', async () => {
    const { firmId } = (await operator.call('POST', '/firms', { name: 'Harbor Point' })).body;
    const input = { name: 'Avery Hill', email: 'avery.hill@test.example' };
    const { advisorId } = (await operator.call('POST', `/firms/${firmId}/advisors`, input)).body;
    const { link } = (await operator.call('POST', `/advisors/${advisorId}/invite`)).body;
    assert.match(link, /\/invitation#email=avery/);
    await operator.call('PUT', `/advisors/${advisorId}`, { disabled: true });
    assert.equal((await operator.call('POST', `/advisors/${advisorId}/invite`)).status, 409);
    assert.equal((await operator.call('PUT', '/advisors/999999999', { disabled: true })).status, 404);
  });
});
