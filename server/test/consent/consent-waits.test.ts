import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import type { Deps } from '../../src/deps.ts';
import { wakeWaiting } from '../../src/domain/consent/consent-lookups.ts';
import { type Member, makeSignals } from '../../src/domain/shared/signals.ts';
import { makeWaitingRoom } from '../../src/http/door/waiting-room.ts';
import { anotherNode, credentials } from '../support/nodes.ts';
import { ask, memberOf, say } from '../support/people.ts';
import { consentsPath, newPhone, setConsent } from '../support/texting.ts';
import { inject, makeWorld } from '../support/world.ts';

const world = await makeWorld({ dispatch: false });
after(() => world.close());
const { ann } = world;

/** A request with `wait` of 30 that is answered sooner didn't wait to the end. */
const waitEndsMs = 29_000;

const waitFor = (phone: string, wait = 30) =>
  ann.call('GET', `${consentsPath}?phone=%2B${phone.slice(1)}&wait=${wait}`);

test('wait holds the answer only while the state is pending', async () => {
  for (const state of ['none', 'accepted', 'opted_out'] as const) {
    const phone = newPhone();
    await ask(world, ann, phone);
    await setConsent(world, ann, phone, state);
    const startedMs = Date.now();
    assert.equal((await waitFor(phone)).body.state, state);
    assert.ok(Date.now() - startedMs < waitEndsMs);
  }
});

test('a change wakes those who wait for that member, and nobody else', async () => {
  const { consentChanged } = makeSignals();
  const [one, other] = [
    { advisorId: 1, memberId: 500_001 },
    { advisorId: 1, memberId: 500_002 },
  ];
  const woken: Member[] = [];
  const waiting = [one, one, other].map(async (member) => {
    if (await consentChanged.wait(member, 100)) woken.push(member);
  });
  consentChanged.raise(one);
  await Promise.all(waiting);
  assert.deepEqual(woken, [one, one]);
  assert.deepEqual(consentChanged.awaited(), []);
});

test('thousands of waiting requests cost one query', async () => {
  const phones = Array.from({ length: 20 }, newPhone);
  await ask(world, ann, ...phones);
  const members = await Promise.all(phones.map((phone) => memberOf(world, ann, phone)));
  const { advisorId } = ann.advisor;
  const signals = makeSignals();
  let queries = 0;
  const db: Deps['db'] = {
    ...world.deps.db,
    query(...statement) {
      queries++;
      return world.deps.db.query(...statement);
    },
  };
  await setConsent(world, ann, phones[0] ?? '', 'accepted');
  const waits = Array.from({ length: 3_000 }, (_, index) => {
    const memberId = members[index % members.length]?.memberId ?? 0;
    return signals.consentChanged.wait({ advisorId, memberId }, 60_000, signals.stopping.signal);
  });
  await wakeWaiting({ db, signals });
  assert.equal(queries, 1);
  signals.stopping.abort();
  const woken = (await Promise.all(waits)).filter(Boolean);
  assert.equal(woken.length, 3_000 / members.length);
});

test('a change on another node wakes a waiting request', async () => {
  const phone = newPhone();
  await ask(world, ann, phone);
  const signals = makeSignals();
  const node = await anotherNode(world, { signals });
  const url = `/v1${consentsPath}?phone=%2B${phone.slice(1)}&wait=30`;
  const waiting = inject(node, { method: 'GET', url, headers: credentials(ann.token, world.apiKey) });
  while (signals.consentChanged.awaited().length === 0) await pause(5);
  await say(world, ann, phone, 'YES');
  await wakeWaiting({ db: world.deps.db, signals });
  assert.equal((await waiting).body.state, 'accepted');
  await node.close();
});

test('over a key’s bound a waiting request is answered at once', async () => {
  const phone = newPhone();
  await ask(world, ann, phone);
  const waiting: Promise<unknown>[] = [];
  for (let batch = 0; batch < 5; batch++) {
    waiting.push(...Array.from({ length: 200 }, () => waitFor(phone)));
    // A key's queries take turns, so the others have looked by then.
    assert.equal((await waitFor(phone, 0)).status, 200);
  }
  const startedMs = Date.now();
  assert.equal((await waitFor(phone)).body.state, 'pending');
  assert.ok(Date.now() - startedMs < waitEndsMs);
  await say(world, ann, phone, 'YES');
  await Promise.all(waiting);
});

test('requests of one key can wait up to its bound, and all of them up to theirs', () => {
  const room = makeWaitingRoom();
  const leaves = [1, 2, 3, 4, 5].flatMap((keyId) => {
    const own = Array.from({ length: 1_000 }, () => room.enter(keyId));
    assert.equal(room.enter(keyId), null);
    return own;
  });
  assert.equal(leaves.includes(null), false);
  assert.equal(room.enter(6), null);
  leaves[0]?.();
  assert.notEqual(room.enter(6), null);
  assert.equal(room.enter(1), null);
});
