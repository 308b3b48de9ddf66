import assert from 'node:assert/strict';
import { after, suite, test } from 'node:test';
import { setInitialConsent } from '../../src/sandbox/initial-consent.ts';
import { makeSandbox } from '../../src/sandbox/sandbox.ts';
import { findIds } from '../address-book/address-book.ts';
import { ask, entries, say, stateOf } from '../support/people.ts';
import { newPhone } from '../support/texting.ts';
import { makeWorld } from '../support/world.ts';

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
  const accepted = ['0001', '0003', '0006', '0007', '0008', '0009', '0014', '0021', '0022'];
  for (const { id, name } of sandbox.advisors) {
    const states = await statesOf(id);
    const of = (state: string) => states.filter((each) => each.state === state).map(({ digits }) => digits);
    assert.deepEqual([of('accepted'), of('opted_out'), states.length], [accepted, ['0004'], 10], name);
  }
  const [avery, , , devon] = sandbox.advisors;
  const count = 'select count(*)::integer as contacts from contacts where advisor_id = $1';
  assert.deepEqual(await world.database.asOwner(count, [devon?.id]), [{ contacts: 0 }]);

  const { textingNumber = '', id = 0 } = avery ?? {};
  await say(world, ann, '+15005550006', 'STOP', { to: textingNumber });
  await say(world, ann, '+15005550004', 'START', { to: textingNumber });
  const before = await statesOf(id);
  await makeSandbox(deps, sandbox);
  assert.deepEqual(await statesOf(id), before);
});
