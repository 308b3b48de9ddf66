import assert from 'node:assert/strict';
import { once } from 'node:events';
import { connect, createServer } from 'node:net';
import { test } from 'node:test';
import { setImmediate as round } from 'node:timers/promises';
import { inTurns, takeTurn, turnsUntil } from '../../src/domain/shared/turns.ts';

const stepMs = 4;
/** A turn, and the step that was begun in it. */
const turnMsMax = 10 + stepMs;

function step(): void {
  for (const began = performance.now(); performance.now() - began < stepMs; );
}

test('however many do long work, everybody else waits for one turn of one of them', async () => {
  let isDone = false;
  let steps = 0;
  const works = Array.from({ length: 8 }, async () => {
    for (let count = 0; count < 20; count++) {
      await takeTurn();
      step();
      steps += 1;
    }
  });
  let most = 0;
  const others = (async () => {
    for (let seen = steps; !isDone; seen = steps) {
      await round();
      most = Math.max(most, steps - seen);
    }
  })();
  await Promise.all(works);
  isDone = true;
  await others;
  assert.equal(steps, 8 * 20);
  assert.ok(most <= turnMsMax / stepMs, `${most} steps between two rounds`);
});

test('an answer over a socket takes as many turns as it has round trips, and not one of each who does long work', async () => {
  const server = createServer((socket) => socket.pipe(socket)).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const socket = connect((server.address() as { port: number }).port, '127.0.0.1');
  await once(socket, 'connect');
  let isDone = false;
  let steps = 0;
  const works = Array.from({ length: 8 }, async () => {
    while (!isDone) {
      await takeTurn();
      step();
      steps += 1;
    }
  });
  await round();
  const before = steps;
  socket.write('STOP');
  await once(socket, 'data');
  const taken = steps - before;
  isDone = true;
  await Promise.all(works);
  socket.destroy();
  server.close();
  // There and back, each with the round in which it is noticed.
  assert.ok(taken <= (4 * turnMsMax) / stepMs, `${taken} steps`);
});

test('work that nobody waits for any more ends at its next turn', async () => {
  const gone = new AbortController();
  const reached: number[] = [];
  const work = (async () => {
    for await (const [item = 0] of inTurns(turnsUntil(gone.signal), [1, 2, 3, 4], 1)) {
      reached.push(item);
      if (item === 2) gone.abort(new Error('The client disconnected.'));
    }
  })();
  await assert.rejects(work, /disconnected/);
  assert.deepEqual(reached, [1, 2]);
});
