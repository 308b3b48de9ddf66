import assert from 'node:assert/strict';
import { after, beforeEach, suite, test } from 'node:test';
import { readConfig } from '../../src/config.ts';
import { forPeople, makeLog } from '../../src/log.ts';
import { DatabaseUnable } from '../../src/store/database/errors.ts';
import { makeWorld } from '../support/world.ts';

const lines: string[] = [];
const log = makeLog('info', { write: (line) => void lines.push(line) });
const logged = () => lines.map((line) => JSON.parse(line)).filter(({ msg }) => msg === 'request');

/** A trace whose id ends like this: the end decides whether it is in the sample. */
const traceEnding = (end: string) => ({ traceparent: `00-${'a'.repeat(24)}${end}-00f067aa0ba902b7-01` });

suite('with LOG_SAMPLE, successful requests are sampled', async () => {
  const world = await makeWorld({ log, env: { LOG_SAMPLE: '0.25' }, dispatch: false });
  const { call } = world.ann;
  after(() => world.close());
  beforeEach(() => void lines.splice(0));

  test('all requests of a trace are logged, or none', async () => {
    for (const end of ['00000000', '3fffffff', '40000000', 'ffffffff'])
      for (let repeated = 0; repeated < 2; repeated++)
        await call('GET', '/core/enumerations', undefined, traceEnding(end));
    assert.deepEqual(
      logged().map(({ traceId }) => traceId.slice(-8)),
      ['00000000', '00000000', '3fffffff', '3fffffff'],
    );
  });

  test('about that share of requests without a trace is logged', async () => {
    for (let count = 0; count < 200; count++) await call('GET', '/core/enumerations');
    assert.ok(logged().length > 20 && logged().length < 90, `${logged().length} of 200`);
  });

  test('a request that fails is always logged', async () => {
    await call('GET', '/core/contact/contacts/999', undefined, traceEnding('ffffffff'));
    await call('GET', '/core/nowhere', undefined, traceEnding('ffffffff'));
    assert.deepEqual(
      logged().map(({ status }) => status),
      [404, 404],
    );
  });

  test('a request that takes a second is always logged', async () => {
    const phone = '+15005550123';
    await call('POST', '/text/messaging/consent-requests', { phoneNumbers: [phone] });
    lines.splice(0);
    const path = `/text/messaging/consents?phone=${encodeURIComponent(phone)}`;
    await call('GET', path, undefined, traceEnding('ffffffff'));
    assert.equal(logged().length, 0);
    // A timer may ring a little early, so one second may be a little less.
    const { status } = await call('GET', `${path}&wait=2`, undefined, traceEnding('ffffffff'));
    assert.equal(status, 200);
    assert.equal(logged().length, 1);
  });
});

test('LOG_SAMPLE is a number from 0 to 1, and by default all requests are logged', () => {
  assert.equal(readConfig({}).logSample, 1);
  for (const [LOG_SAMPLE, share] of Object.entries({ '0': 0, '1': 1, '1.0': 1, '0.01': 0.01 }))
    assert.equal(readConfig({ LOG_SAMPLE }).logSample, share);
  for (const LOG_SAMPLE of ['1.1', '2', '-1', '.5', '1e-2', '50%', 'all'])
    assert.throws(() => readConfig({ LOG_SAMPLE }), /^Error: LOG_SAMPLE is ".*": it must be a number from 0 to 1\.$/);
});

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
