import assert from 'node:assert/strict';
import { test } from 'node:test';
import { tryNodes } from '../../faults/nodes.ts';
import { skip as skipHaproxy } from '../support/haproxy.ts';
import { skip as skipRedis } from '../support/redis.ts';
import { skip as skipPostgres } from '../support/replicated-postgres.ts';

/** Nobody waits for a disk here: what is tested is which server has what. */
const quick = { fsync: 'off', full_page_writes: 'off' };

test('nothing is lost or sent twice when a node is killed and PostgreSQL fails over', {
  skip: skipHaproxy || skipPostgres || skipRedis,
}, async () => {
  const run = await tryNodes({
    api: 2,
    work: 1,
    kills: 2,
    texts: 200,
    seconds: 600,
    senders: 4,
    faults: ['kill -9 of a node that answers', 'PostgreSQL failed over'],
    postgres: quick,
    say: () => {},
  });
  assert.deepEqual(
    run.rows.map(({ runs }) => runs > 0),
    [true, true],
  );
  const { lost, doubled, withoutConsent, broken, accepted } = run.verdict.all;
  assert.ok(accepted >= 200, `only ${accepted} were accepted`);
  assert.deepEqual(
    { lost, doubled, withoutConsent, broken, wrong: run.wrong },
    {
      lost: [],
      doubled: [],
      withoutConsent: [],
      broken: [],
      wrong: [],
    },
  );
});
