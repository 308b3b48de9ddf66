import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { makeStaff, type StaffPerson } from '../support/console.ts';
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
    assert.equal(kinds.find((each: { kind: string }) => each.kind === 'smpp').fields, null);
    const shown = (await operator.call('GET', '/carriers')).body.data.find(
      ({ name }: { name: string }) => name === 'acme',
    );
    assert.equal(shown.settings.apiKey, '(hidden)');
    const change = { settings: { ...shown.settings, window: 5 } };
    assert.equal((await operator.call('PUT', '/carriers/acme', change)).status, 200);
    assert.deepEqual(await lastSetting(), { actor: `staff:${operator.staffId}`, what: 'carrier set' });
    assert.equal((await operator.call('DELETE', '/carriers/acme')).status, 204);
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
