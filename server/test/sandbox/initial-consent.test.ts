import assert from 'node:assert/strict';
import { after, suite, test } from 'node:test';
import { disconnect, findProvisioned } from '../../src/domain/access/grants.ts';
import { byAdvisor } from '../../src/domain/archive/archive.ts';
import { setInitialConsent } from '../../src/domain/sandbox/initial-consent.ts';
import { makeSandbox } from '../../src/domain/sandbox/sandbox.ts';
import { findIds } from '../address-book/address-book.ts';
import { ask, entries, say, stateOf } from '../support/people.ts';
import { messagesPath, newPhone } from '../support/texting.ts';
import { inject, makeWorld, type World } from '../support/world.ts';

const world = await makeWorld({ dispatch: false });
after(() => world.close());
const { ann, deps } = world;
const { advisorId } = ann.advisor;

suite('initial consent', () => {
  test('is set only where nothing has happened yet, and creates no contacts', async () => {
    const [fresh, asked, stopped] = [newPhone(), newPhone(), newPhone()];
    await ask(world, ann, asked);
    await say(world, ann, stopped, 'STOP');
    for (let start = 0; start < 2; start++)
      await setInitialConsent(deps, advisorId, [fresh, asked, stopped], 'accepted');
    assert.equal(await stateOf(world, ann, fresh), 'accepted');
    assert.equal(await stateOf(world, ann, asked), 'pending');
    assert.equal(await stateOf(world, ann, stopped), 'opted_out');
    assert.equal((await entries(world, ann, fresh, 'consent')).length, 1);
    assert.deepEqual(await findIds(ann, { phone: fresh }), []);
  });

  test('gives way to the person’s own reply', async () => {
    const [accepted, stopped] = [newPhone(), newPhone()];
    await setInitialConsent(deps, advisorId, [accepted], 'accepted');
    await setInitialConsent(deps, advisorId, [stopped], 'opted_out');
    await say(world, ann, accepted, 'STOP');
    await say(world, ann, stopped, 'START');
    assert.equal(await stateOf(world, ann, accepted), 'opted_out');
    assert.equal(await stateOf(world, ann, stopped), 'accepted');
  });
});

test('every sandbox advisor has the numbers’ initial consent, and a restart keeps later changes', async () => {
  const statesOf = async (id: number) =>
    world.database.asOwner<{ digits: string; state: string }>(
      `select right(phone, 4) as digits, state from members where advisor_id = $1 and state <> 'none' order by 1`,
      [id],
    );
  const sandbox = await makeSandbox(deps, null);
  const accepted = ['0001', '0003', '0006', '0007', '0008', '0009', '0014', '0021', '0022', '0041', '0042', '0043'];
  for (const { id, name } of sandbox.advisors) {
    const states = await statesOf(id);
    const of = (state: string) => states.filter((each) => each.state === state).map(({ digits }) => digits);
    assert.deepEqual([of('accepted'), of('opted_out'), states.length], [accepted, ['0004'], 13], name);
  }
  const [avery, , , devon, ellis] = sandbox.advisors;
  const count = 'select count(*)::integer as contacts from contacts where advisor_id = any ($1)';
  assert.deepEqual(await world.database.asOwner(count, [[devon?.id, ellis?.id]]), [{ contacts: 0 }]);

  const { textingNumber = '', id = 0 } = avery ?? {};
  await say(world, ann, '+15005550006', 'STOP', { to: textingNumber });
  await say(world, ann, '+15005550004', 'START', { to: textingNumber });
  const before = await statesOf(id);
  await makeSandbox(deps, sandbox);
  assert.deepEqual(await statesOf(id), before);
});

test('0041: every sandbox advisor’s texts are held until START, which a restart doesn’t undo', async () => {
  const phone = '+15005550041';
  const sandbox = await makeSandbox(deps, null);
  async function callAs(id: number, path: string, payload?: object) {
    const headers = { authorization: `Bearer ${await world.token(id)}`, 'x-api-key': world.apiKey };
    const request = payload ? ({ method: 'POST', payload } as const) : ({ method: 'GET' } as const);
    return (await inject(world.app, { ...request, url: `/v1${messagesPath}${path}`, headers })).body;
  }
  const text = { phone, text: 'Hello' };
  for (const { id, name, textingNumber } of sandbox.advisors) {
    const [check] = (await callAs(id, '/check', text)).data;
    assert.deepEqual([check.deliverable, check.status, check.earliest], [true, 'held', null], name);
    const [{ messageId, status }] = (await callAs(id, '', text)).successes;
    assert.equal(status, 'held', name);
    assert.equal((await callAs(id, `/${messageId}`)).heldReason, 'possible_opt_out', name);
    await say(world, ann, phone, 'START', { to: textingNumber });
    assert.equal((await callAs(id, `/${messageId}`)).status, 'queued', name);
  }
  await makeSandbox(deps, sandbox);
  for (const { id, name } of sandbox.advisors)
    assert.equal((await callAs(id, '', text)).successes[0].status, 'queued', name);
});

suite('a sandbox from before', () => {
  test('gets the advisor that it lacks, with a firm, and everything else stays as it is', async () => {
    const old = await makeWorld({ dispatch: false });
    const first = await makeSandbox(old.deps, null);
    const firmName = await firmOfEllis(old);
    // As a version without Ellis left it.
    await old.database.asOwner(`update advisors set email = 'somebody@else.example', texting_number = null
      where email = 'ellis@sandbox.example'`);
    await old.database.asOwner(`update firms set name = 'Another firm' where name = $1`, [firmName]);
    const earlier = { ...first, advisors: first.advisors.slice(0, 4) };
    const { advisors, ...others } = await makeSandbox(old.deps, earlier);
    assert.deepEqual({ ...others, advisors: advisors.slice(0, 4) }, earlier);
    assert.equal(advisors[4]?.email, 'ellis@sandbox.example');
    assert.equal(await firmOfEllis(old), firmName);
    assert.deepEqual(await makeSandbox(old.deps, { ...others, advisors }), { ...others, advisors });
    await old.close();
  });

  test('keeps what an advisor ended: an application that they disconnected stays so', async () => {
    const old = await makeWorld({ dispatch: false });
    const sandbox = await makeSandbox(old.deps, null);
    const { clientId, advisors } = sandbox;
    const id = advisors[0]?.id ?? 0;
    await disconnect(old.deps, clientId, id, byAdvisor(id, null));
    await makeSandbox(old.deps, sandbox);
    assert.equal(await findProvisioned(old.deps, clientId, id), 'none');
    assert.notEqual(await findProvisioned(old.deps, clientId, advisors[1]?.id ?? 0), 'none');
    await old.close();
  });

  async function firmOfEllis({ database }: World): Promise<string | undefined> {
    const [firm] = await database.asOwner<{ name: string; line: boolean }>(
      `select f.name, f.first_text_line as line
       from advisors a
       join firms f using (firm_id)
       where a.email = 'ellis@sandbox.example'`,
    );
    assert.equal(firm?.line, true);
    return firm?.name;
  }
});
