import assert from 'node:assert/strict';
import { after, before, suite, test } from 'node:test';
import type { Deps } from '../../src/deps.ts';
import { byOperator } from '../../src/domain/archive/archive.ts';
import { findRestored } from '../../src/domain/archive/archive-status.ts';
import { getBroadcast, startBroadcast } from '../../src/domain/broadcasts/broadcasts.ts';
import { checkBroadcast } from '../../src/domain/broadcasts/previews.ts';
import { sendBroadcasts } from '../../src/domain/broadcasts/sending.ts';
import { carrierSender } from '../../src/domain/delivery/carrier-sender.ts';
import { setWaitingAside } from '../../src/domain/delivery/set-aside.ts';
import type { OpenCarrier } from '../../src/domain/ports.ts';
import { addContact, addGroup, putInGroups } from '../address-book/address-book.ts';
import { acceptedPhone, handset, received, send, statusOf } from '../support/texting.ts';
import { makeWorld, type World } from '../support/world.ts';

suite('a database that is from before what was signed', () => {
  let world: World;
  before(async () => {
    world = await makeWorld({ dispatch: false });
  });
  after(() => world.close());

  test('is noticed by the copies outside', async () => {
    const { deps } = world;
    const { config } = deps;
    type Folder = Parameters<typeof findRestored>[0]['checkpointFolder'];
    const found = (last: () => Promise<object | null>, environment: 'sandbox' | 'production' = 'production') => {
      const checkpointFolder = { last, async *notes() {} } as unknown as Folder;
      return findRestored({ ...deps, archiveMemory: null, checkpointFolder, config: { ...config, environment } });
    };
    assert.equal(await found(async () => null), null);
    assert.equal(await found(async () => ({ size: 0 })), null);
    assert.match((await found(async () => ({ size: 7 }))) ?? '', /has 0 entries of the archive, and 7 were signed/);
    assert.equal(await found(() => Promise.reject(new Error('EIO'))), null, 'one that can’t be read says nothing');
    assert.equal(await found(async () => ({ size: 7 }), 'sandbox'), null, 'a new database beside an old folder');
    assert.equal(deps.signals.archive.restored, null);
  });

  test('hands no text over until an operator has decided, and accepts them meanwhile', async () => {
    const { deps, ann, app } = world;
    const phone = await acceptedPhone(world, ann);
    const lane = carrierSender(deps, deps.carriers.list()[0] as OpenCarrier, app.log);
    deps.signals.archive.restored = 'it is an earlier one';
    assert.equal((await send(ann, { phone, text: 'Hello' })).status, 200);
    assert.equal(await lane.next(), 'blocked');
    assert.deepEqual(await handset(world, phone), []);
    deps.signals.archive.restored = null;
    assert.notEqual(await lane.next(), 'blocked');
    assert.equal((await received(world, phone)).length, 1);
    await lane.stop();
  });

  test('has its waiting texts put in doubt and texts to groups stopped, whoever’s they are', async () => {
    const { deps, ann, bob } = world;
    const folder = { last: async () => ({ size: 7 }), async *notes() {} } as unknown as Deps['checkpointFolder'];
    const config = { ...deps.config, environment: 'production' } as const;
    const sent = [ann, bob].map(async (person) => {
      const { body } = await send(person, { phone: await acceptedPhone(world, person), text: 'Hello' });
      return { person, messageId: body.successes[0].messageId };
    });
    const texts = await Promise.all(sent);
    const groupId = await addGroup(ann, 'All');
    const phone = await acceptedPhone(world, ann);
    await putInGroups(ann, await addContact(ann, { firstName: 'Ada', phone }), [groupId]);
    const { advisorId } = ann.advisor;
    const broadcast = { groupId, text: 'Hello all' };
    const { version } = await checkBroadcast(deps, advisorId, broadcast, byOperator);
    const broadcastId = await startBroadcast(deps, advisorId, { ...broadcast, version }, byOperator);
    assert.deepEqual(await setWaitingAside({ ...deps, config, checkpointFolder: folder }), { texts: 2, broadcasts: 1 });
    for (const { person, messageId } of texts) await statusOf(person, messageId, 'in_doubt');
    await sendBroadcasts(deps);
    const { status, counts } = await getBroadcast(deps, advisorId, broadcastId);
    assert.deepEqual([status, counts], ['stopped', { stopped: 1 }]);
  });
});
