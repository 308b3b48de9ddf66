import assert from 'node:assert/strict';
import { after, before, suite, test } from 'node:test';
import { type Posting, postingTo } from '../support/posting.ts';
import { type Deployment, makeDeployment, type Program, startServer } from '../support/programs.ts';
import { openWire } from '../support/sockets.ts';
import { until } from '../support/waiting.ts';

suite('a stop under load', () => {
  let deployment: Deployment;
  let program: Program;
  let posting: Posting;
  before(async () => {
    deployment = await makeDeployment();
    // Longer than `ended` waits: it must not wait for idle connections until then.
    program = await startServer({ ...deployment.env, REQUEST_TIMEOUT_MS: '600000' });
    posting = await postingTo(program, deployment);
  });
  after(async () => {
    program.signal('SIGKILL');
    await program.ended();
    await deployment.remove();
  });

  test('fails no request that it has begun to read, closes idle connections, and ends', async () => {
    const clients = Array.from({ length: 16 }, (_, index) => posting.keepPosting(`Client${index}`));
    const slow = [
      await posting.half(await openWire(program.port), (text) => text.indexOf('\r\n') - 3),
      await posting.half(await openWire(program.port), (text) => text.indexOf('host')),
      await posting.half(await openWire(program.port), (text) => text.length - 5),
    ];
    const idle = await openWire(program.port);
    idle.write(posting.request('Idle'));
    assert.equal((await idle.answer()).status, 200);
    const silent = await openWire(program.port);
    await until('it is under load', async () => (await posting.rows()) > 300);

    program.signal('SIGTERM');
    const posted = await Promise.all(clients);
    await until('it accepts no new connections', async () => !(await posting.canConnect()));
    assert.ok(!program.hasEnded(), 'it waits for the slow ones');
    for (const finish of slow) await finish();
    assert.equal(await idle.rest(), '');
    assert.equal(await silent.rest(), '');
    assert.equal(await program.ended(), 0, program.said());
    const sum = posted.reduce((total, each) => total + each, 0);
    assert.equal(await posting.rows(), sum + slow.length + 1, 'each answered request is stored once');
  });
});
