import assert from 'node:assert/strict';
import { EventEmitter } from 'node:events';
import { test } from 'node:test';
import { setImmediate as round } from 'node:timers/promises';
import type { FastifyReply } from 'fastify';
import type { Deps } from '../../src/deps.ts';
import { takeTurn } from '../../src/domain/shared/turns.ts';
import { makeLongWork } from '../../src/http/door/long-work.ts';

const deps = { turn: takeTurn };

function connection(leave = () => {}): { raw: EventEmitter; reply: FastifyReply } {
  const raw = new EventEmitter();
  return { raw, reply: { raw, request: { leave } } as unknown as FastifyReply };
}

test('an advisor has one place, and all together have four', async () => {
  const longWork = makeLongWork();
  const inside: string[] = [];
  let [most, mostOfOne] = [0, 0];
  const work = (who: string) =>
    longWork(deps, { ...connection(), who }, async ({ turn }) => {
      inside.push(who);
      most = Math.max(most, inside.length);
      mostOfOne = Math.max(mostOfOne, inside.filter((each) => each === who).length);
      await round();
      await turn();
      inside.splice(inside.indexOf(who), 1);
    });
  await Promise.all(Array.from({ length: 30 }, (_, index) => work(`advisor ${index % 6}`)));
  assert.deepEqual([most, mostOfOne], [4, 1]);
});

test('what waits holds no place of other requests, and not everybody’s may wait', async () => {
  const longWork = makeLongWork();
  let left = 0;
  const leave = () => {
    left += 1;
  };
  const gate = Promise.withResolvers<void>();
  const works = Array.from({ length: 22 }, () =>
    longWork(deps, { ...connection(leave), who: 'advisor 1' }, () => gate.promise).then(
      () => 'done',
      (error) => error.code,
    ),
  );
  await round();
  assert.equal(left, works.length);
  gate.resolve();
  assert.deepEqual(new Set((await Promise.all(works)).slice(0, 21)), new Set(['done']));
  assert.equal(await works[21], 'rate_limited');
});

test('closing the connection ends the work, also before its turn has come, and leaves its place to the next', async () => {
  const longWork = makeLongWork();
  const [first, second] = [connection(), connection()];
  let steps = 0;
  const endless = async ({ turn }: Pick<Deps, 'turn'>) => {
    for (; ; steps++) {
      await turn();
      await round();
    }
  };
  const works = [first, second].map((each) => longWork(deps, { ...each, who: 'advisor 1' }, endless));
  while (steps < 3) await round();
  second.raw.emit('close');
  first.raw.emit('close');
  for (const work of works) await assert.rejects(work, /disconnected/);
  const reached = steps;
  assert.equal(await longWork(deps, { ...connection(), who: 'advisor 1' }, async () => 'done'), 'done');
  assert.equal(steps, reached);
  assert.deepEqual([first.raw.listenerCount('close'), second.raw.listenerCount('close')], [0, 0]);
});
