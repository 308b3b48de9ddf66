import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { setAdvisor } from '../../src/domain/accounts/advisors.ts';
import { addFirm } from '../../src/domain/accounts/firms.ts';
import { addStaff, listStaff, setStaff } from '../../src/domain/accounts/staff.ts';
import { makePasskey } from '../support/authenticator.ts';
import { makeStaff, type StaffPerson } from '../support/console.ts';
import { moved } from '../support/database.ts';
import { codeIn, enroll, invitedStaff, signInWith } from '../support/staff-sign-in.ts';
import { Visitor } from '../support/visitor.ts';
import { makeWorld, type World } from '../support/world.ts';

let world: World;
let people = 0;
const security = '/console/security';
before(async () => {
  world = await makeWorld();
});
after(() => world.close());

function stranger(): Visitor {
  return new Visitor(world.app, { address: `198.51.100.${++people}` });
}

/** Somebody with a passkey, signed in. */
async function enrolled() {
  const person = await invitedStaff(world.deps, world.ann.advisor.firmId);
  const [visitor, passkey] = [stranger(), makePasskey(world.config.publicUrl)];
  await enroll(visitor, person, passkey);
  return { ...person, visitor, passkey };
}

/** As if they had signed in six minutes ago. */
async function age(staffId: number): Promise<void> {
  await world.database.asOwner(
    `update sessions set date_time_created = ${moved('date_time_created', "interval '-6 minutes'")} where staff_id = $1`,
    [staffId],
  );
}

async function isSignedIn(visitor: Visitor): Promise<boolean> {
  return (await visitor.get('/console/api/session')).status === 200;
}

describe('/console/security', () => {
  it('adds and removes passkeys, but never the last way in', async () => {
    const { staffId, visitor, passkey } = await enrolled();
    const page = await visitor.get(security);
    const last = await visitor.submit(page, `${security}/passkeys/remove`, { passkeyId: passkey.id });
    assert.equal(last.location, `${security}?wrong=last`);
    assert.match((await visitor.get(last.location ?? '')).body, /role="alert">This passkey is all/);
    const theirs = await visitor.post(`${security}/passkeys/remove`, { passkeyId: 'c29tZWJvZHkgZWxzZeKAmXM' });
    assert.equal(theirs.location, security, 'nothing was removed, and nothing else is said');
    const second = makePasskey(world.config.publicUrl);
    const { body: options } = await visitor.postJson(`${security}/passkeys/options`, {});
    assert.deepEqual(
      options.excludeCredentials.map(({ id }: { id: string }) => id),
      [passkey.id],
    );
    const added = await visitor.postJson(`${security}/passkeys`, { response: second.register(options) });
    assert.deepEqual(added.body, { location: `${security}?done=added` });
    assert.equal((await signInWith(stranger(), second, staffId)).status, 200);
    // Both at once: one of them stays.
    const removals = await Promise.all(
      [passkey, second].map(({ id }) => visitor.submit(page, `${security}/passkeys/remove`, { passkeyId: id })),
    );
    assert.deepEqual(removals.map(({ location }) => location).toSorted(), [
      `${security}?done=removed`,
      `${security}?wrong=last`,
    ]);
  });

  it('changes nothing for a session of six minutes, but still signs out elsewhere', async () => {
    const { staffId, visitor, passkey } = await enrolled();
    const elsewhere = stranger();
    await signInWith(elsewhere, passkey, staffId);
    await age(staffId);
    const page = await visitor.get(security);
    assert.match(page.body, /Sign in again to change it/);
    assert.doesNotMatch(page.body, /Add a passkey|Remove/);
    const again = '/console/sign-in?again=yes&next=%2Fconsole%2Fsecurity';
    assert.equal((await visitor.post(`${security}/passkeys/remove`, { passkeyId: passkey.id })).location, again);
    for (const what of ['passkeys/options', 'passkeys'])
      assert.deepEqual((await visitor.postJson(`${security}/${what}`, {})).body, { location: again });
    assert.match((await visitor.get(again)).body, /Sign in again/);
    await visitor.submit(page, `${security}/sessions/end`, {});
    assert.deepEqual([await isSignedIn(visitor), await isSignedIn(elsewhere)], [true, false]);
  });
});

describe('/console/staff', () => {
  it('officers invite those of their own firm, and nobody else', async () => {
    const { firmId } = world.ann.advisor;
    const officer = await makeStaff(world, { role: 'compliance_officer', firmId, name: 'Olga' });
    const input = { name: 'Rae', email: 'rae@staff.example', role: 'reviewer' };
    const { body } = await officer.call('POST', '/staff', input);
    const first = { email: input.email, code: codeIn(body.link) };
    await enroll(stranger(), first, makePasskey(world.config.publicUrl));
    const rae = (await listStaff(world.deps)).find(({ email }) => email === input.email);
    assert.deepEqual([rae?.role, rae?.firmId], ['reviewer', firmId]);
    const elsewhere = { ...input, email: 'x@staff.example', firmId: (await addFirm(world.deps, 'Elsewhere')).firmId };
    await officer.call('POST', '/staff', elsewhere);
    assert.ok(
      (await listStaff(world.deps)).every(({ email, firmId }) => email !== elsewhere.email || firmId === rae?.firmId),
    );
    for (const [method, path, given] of [
      ['POST', '/staff', { ...input, email: 'y@staff.example', role: 'operator' }],
      ['PUT', `/staff/${rae?.staffId}`, { role: 'operator' }],
    ] as const)
      assert.equal((await officer.call(method, path, given)).status, 400);
    // They give nobody access that they could have stolen: themselves, or after five minutes.
    assert.equal((await officer.call('POST', `/staff/${officer.staffId}/invite`)).status, 409);
    for (const change of [{ disabled: true }, { role: 'reviewer' }])
      assert.equal((await officer.call('PUT', `/staff/${officer.staffId}`, change)).status, 409);
    await age(officer.staffId);
    const stale = await officer.call('POST', `/staff/${rae?.staffId}/invite`);
    assert.deepEqual([stale.status, /^Sign in again/.test(stale.body.detail)], [403, true]);
    assert.deepEqual(stale.body.details, { freshSignIn: true });
    for (const change of [{ role: 'compliance_officer' }, { disabled: false }])
      assert.equal((await officer.call('PUT', `/staff/${rae?.staffId}`, change)).status, 403);
    assert.equal((await officer.call('PUT', `/staff/${rae?.staffId}`, { disabled: true })).body.disabled, true);
    await setStaff(world.deps, rae?.staffId ?? -1, { role: 'compliance_officer' });
  });

  it('an officer’s invitation doesn’t tell who is on the staff of another firm', async () => {
    const { firmId } = world.ann.advisor;
    const officer = await makeStaff(world, { role: 'compliance_officer', firmId, name: 'Odette' });
    const elsewhere = await invitedStaff(world.deps, (await addFirm(world.deps, 'Far away')).firmId);
    await enroll(stranger(), elsewhere, makePasskey(world.config.publicUrl));
    const seen = [];
    for (const email of [elsewhere.email.toUpperCase(), 'nobody.yet@staff.example']) {
      const { status, body } = await officer.call('POST', '/staff', { name: 'Kit', email, role: 'reviewer' });
      const { data } = (await officer.call('GET', '/staff')).body;
      const { staffId, dateTimeCreated: _, ...row } = data.find((each: { email: string }) => each.email === email);
      const again = await officer.call('POST', `/staff/${staffId}/invite`);
      const code = codeIn(again.body.link);
      const taken = await enroll(stranger(), { email, code }, makePasskey(world.config.publicUrl));
      const twice = await officer.call('POST', '/staff', { name: 'Kit', email, role: 'reviewer' });
      const said = { status, fields: Object.keys(body), row: { ...row, email: '' }, again: again.status };
      seen.push({ ...said, taken: [taken.status, taken.body], twice: [twice.status, twice.body.detail] });
    }
    assert.deepEqual(seen[0], seen[1]);
    assert.deepEqual([seen[0]?.status, seen[0]?.taken[0], seen[0]?.twice[0]], [200, 200, 400]);
  });

  it('operators invite anybody, and one of them always remains', async () => {
    const operator = await makeStaff(world, { role: 'operator', name: 'Only' });
    const { firmId } = world.ann.advisor;
    const second = { name: 'Second', email: 'second@ops.example', role: 'operator' };
    assert.equal((await operator.call('POST', '/all-staff', { ...second, firmId })).status, 400);
    assert.equal((await operator.call('POST', '/all-staff', second)).status, 200);
    const { staffId } = (await listStaff(world.deps)).find(({ email }) => email === second.email) ?? { staffId: 0 };
    assert.equal((await operator.call('PUT', `/all-staff/${staffId}`, { role: 'reviewer' })).status, 409);
    // Both at once: the second has to see what the first did.
    const both = await Promise.allSettled([
      setStaff(world.deps, staffId, { disabled: true }),
      setStaff(world.deps, operator.staffId, { disabled: true }),
    ]);
    assert.deepEqual(both.map(({ status }) => status).toSorted(), ['fulfilled', 'rejected']);
    const left = (await listStaff(world.deps)).filter(({ role, disabled }) => role === 'operator' && !disabled);
    assert.equal(left.length, 1);
    await setStaff(world.deps, staffId, { disabled: false });
    await setStaff(world.deps, operator.staffId, { disabled: false });
  });

  it('officers can’t replace the passkeys of somebody who has signed in, and see that an operator did', async () => {
    const { firmId } = world.ann.advisor;
    const officer = await makeStaff(world, { role: 'compliance_officer', firmId, name: 'Odile' });
    const operator = await makeStaff(world, { role: 'operator', name: 'Otis' });
    const { staffId, name } = await enrolled();
    const refused = await officer.call('POST', `/staff/${staffId}/invite`);
    assert.deepEqual([refused.status, /only an operator/.test(refused.body.detail)], [409, true]);
    const reinvited = async () => (await officer.call('GET', '/overview')).body.reinvited;
    assert.deepEqual(await reinvited(), []);
    await age(operator.staffId);
    assert.equal((await operator.call('POST', `/all-staff/${staffId}/invite`)).status, 403);
    const other = await makeStaff(world, { role: 'operator', name: 'Ottilie' });
    const { body } = await other.call('POST', `/all-staff/${staffId}/invite`);
    assert.match(body.link, /code=[\w-]{43}$/);
    assert.deepEqual(
      (await reinvited()).map((each: { name: string }) => each.name),
      [name],
    );
  });

  it('an export is started only after a fresh sign-in', async () => {
    const { advisorId, firmId } = world.ann.advisor;
    const officer = await makeStaff(world, { role: 'compliance_officer', firmId, name: 'Old' });
    await age(officer.staffId);
    const period = { from: '2026-01-01T00:00:00Z', to: '2026-02-01T00:00:00Z', format: 'ndjson' };
    const { status, body } = await officer.call('POST', '/exports', { advisorId, ...period });
    assert.deepEqual([status, body.details], [403, { freshSignIn: true }]);
  });

  it('records leave and rules get weaker only after a fresh sign-in', async () => {
    const { advisorId, firmId, quietHours, email } = world.ann.advisor;
    const [officer, operator] = await Promise.all([
      makeStaff(world, { role: 'compliance_officer', firmId, name: 'Older' }),
      makeStaff(world, { role: 'operator', name: 'Staler' }),
    ]);
    for (const { staffId } of [officer, operator]) await age(staffId);
    const { rules, version: basedOn } = (await officer.call('GET', '/lexicon')).body;
    const lexicon = (rules: object[]) => ({ rules, basedOn });
    const [first, ...others] = rules;
    const flag = { name: 'Gifts', action: 'flag', phrases: ['a gift'] };
    const advisor = `/advisors/${advisorId}`;
    const refused: [StaffPerson, 'GET' | 'POST' | 'PUT', string, object?][] = [
      [officer, 'PUT', '/retention', { years: 6 }],
      [officer, 'POST', '/holds/1/lift', { reason: 'Settled' }],
      [officer, 'PUT', '/lexicon', lexicon(others)],
      [officer, 'PUT', '/lexicon', lexicon([{ ...first, action: 'flag' }, ...others])],
      [officer, 'GET', '/exports/confirm'],
      [officer, 'GET', '/exports/1/file'],
      [operator, 'PUT', advisor, { consentRequired: false }],
      [operator, 'PUT', advisor, { email: 'somebody@else.example' }],
    ];
    for (const [who, method, path, body] of refused)
      assert.deepEqual((await who.call(method, path, body)).body.details, { freshSignIn: true }, `${method} ${path}`);
    const done = [
      await officer.call('PUT', '/retention', { years: 8 }),
      await officer.call('PUT', '/lexicon', lexicon([...rules, flag])),
      await operator.call('PUT', advisor, { quietHours: 'defer', email, consentRequired: true }),
    ];
    assert.deepEqual(
      done.map(({ status }) => status),
      [200, 200, 200],
    );
    assert.equal((await operator.call('PUT', advisor, { quietHours: 'off' })).status, 403);
    await setAdvisor(world.deps, advisorId, { quietHours });
  });

  it('operators show and rotate secrets only after a fresh sign-in', async () => {
    const operator = await makeStaff(world, { role: 'operator', name: 'Stale' });
    await age(operator.staffId);
    for (const path of [
      '/applications',
      '/applications/some/secret',
      '/applications/some/keys',
      '/applications/some/webhooks',
      '/webhooks/1/secret',
      '/alerts/targets',
      '/signing-keys',
      '/advisors/1/invite',
      '/all-staff',
      '/carriers',
    ]) {
      const { status, body } = await operator.call('POST', path, {});
      assert.deepEqual([status, /^Sign in again/.test(body.detail)], [403, true], path);
      assert.deepEqual(body.details, { freshSignIn: true }, path);
    }
    for (const [path, change] of [
      ['/applications/some', { redirectUris: ['https://elsewhere.example/'] }],
      ['/carriers/some', { settings: { apiUrl: 'https://elsewhere.example/' } }],
    ] as const)
      assert.equal((await operator.call('PUT', path, change)).status, 403, path);
    assert.equal((await operator.call('PUT', '/carriers/some', { disabled: true })).status, 404);
  });

  it('who is disabled is signed out at once, and a link for them is dead', async () => {
    const operator = await makeStaff(world, { role: 'operator', name: 'Ender' });
    const { staffId, visitor, passkey } = await enrolled();
    assert.equal((await operator.call('PUT', `/all-staff/${staffId}`, { disabled: true })).status, 200);
    assert.equal(await isSignedIn(visitor), false);
    assert.equal((await operator.call('POST', `/all-staff/${staffId}/invite`)).status, 409);
    const other = await addStaff(world.deps, {
      firmId: world.ann.advisor.firmId,
      name: 'L',
      email: 'link@staff.example',
    });
    const { body } = await operator.call('POST', `/all-staff/${other.staffId}/invite`);
    for (const disabled of [true, false]) await operator.call('PUT', `/all-staff/${other.staffId}`, { disabled });
    const late = { email: other.email, code: codeIn(body.link) };
    assert.equal((await enroll(stranger(), late, makePasskey(world.config.publicUrl))).status, 400);
    assert.equal((await signInWith(stranger(), passkey, staffId)).status, 400);
  });
});
