import assert from 'node:assert/strict';
import { test } from 'node:test';
import { forPeople, makeLog } from '../../src/log.ts';
import { DatabaseUnable } from '../../src/store/database/errors.ts';

test('in a terminal a request is one short line, and an error says where it was thrown', () => {
  const time = '2026-03-01T15:00:00.000Z';
  const at = new Date(time).toTimeString().slice(0, 8);
  const words = (line: object) => forPeople(JSON.stringify({ level: 30, time, ...line }));
  const request = { msg: 'request', traceId: 'abc', method: 'POST', route: '/v1/text/messaging/messages', ms: 3.2 };
  assert.equal(
    words({ ...request, status: 200, advisorId: 7 }),
    `${at}  200  POST  /v1/text/messaging/messages  3.2 ms`,
  );
  assert.equal(
    words({ ...request, status: 409, code: 'conflict' }),
    `${at}  409  POST  /v1/text/messaging/messages  3.2 ms  conflict  abc`,
  );
  assert.equal(words({ msg: 'request', status: 404, ms: 1, traceId: 'abc' }), `${at}  404  no such path  1 ms  abc`);
  assert.equal(words({ msg: 'stopping' }), `${at}  stopping`);
  const err = { kind: 'TypeError', at: ['send (send.ts:3:1)'] };
  assert.equal(
    words({ level: 50, msg: 'a job failed', job: 'due', err }),
    `${at}  error: a job failed (job due)\n  TypeError\n    at send (send.ts:3:1)`,
  );
});

test('what everybody meets while the database is full is one line, and how many more there were', (t) => {
  t.mock.timers.enable({ apis: ['setInterval'] });
  const written: Record<string, unknown>[] = [];
  const log = makeLog('info', { write: (line) => void written.push(JSON.parse(line)) });
  const full = () => new DatabaseUnable('The database can’t store anything.', { cause: new Error('53100') });
  for (let count = 0; count < 1_000; count++) {
    log.warn({ err: full() }, 'texts can’t be claimed; will retry');
    log.error({ code: 'downstream_unavailable', err: new Error('x', { cause: full() }) }, 'problem');
  }
  log.error({ err: new Error('something else') }, 'a job failed');
  const said = () => written.splice(0).map(({ msg, fault, count }) => (fault ? [msg, fault, count] : msg));
  assert.deepEqual(said(), ['texts can’t be claimed; will retry', 'a job failed']);
  t.mock.timers.tick(10_000);
  assert.deepEqual(said(), [['more of the same fault, not written', 'DatabaseUnable', 1_999]]);
  t.mock.timers.tick(10_000);
  log.warn({ err: full() }, 'texts can’t be claimed; will retry');
  t.mock.timers.tick(10_000);
  assert.deepEqual(said(), ['texts can’t be claimed; will retry'], 'the next time is told at once');
});
