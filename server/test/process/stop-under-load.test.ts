import assert from 'node:assert/strict';
import { after, before, suite, test } from 'node:test';
import { runCommand } from '../support/commands.ts';
import { credentials } from '../support/nodes.ts';
import { type Deployment, makeDeployment, type Program, startServer } from '../support/programs.ts';
import { openWire, type Wire } from '../support/sockets.ts';
import { until } from '../support/waiting.ts';

const contacts = '/v1/core/contact/contacts';

suite('a stop under load', () => {
  let deployment: Deployment;
  let program: Program;
  let headers: string;
  before(async () => {
    deployment = await makeDeployment();
    const { folder, database, env } = deployment;
    program = await startServer(env);
    const { apiKey } = folder.sandbox();
    await database.asOwner('update api_keys set rate_per_second = null, burst = null');
    const { stdout } = await runCommand(['token', '--advisor', 'devon@sandbox.example'], env);
    const both = Object.entries(credentials(stdout.trim(), apiKey));
    headers = both.map(([name, value]) => `${name}: ${value}\r\n`).join('');
  });
  after(async () => {
    program.signal('SIGKILL');
    await program.ended();
    await deployment.remove();
  });

  const request = (lastName: string): string => {
    const body = JSON.stringify({ firstName: 'Load', lastName });
    const own = `content-type: application/json\r\ncontent-length: ${body.length}\r\n`;
    return `POST ${contacts} HTTP/1.1\r\nhost: localhost\r\n${headers}${own}\r\n${body}`;
  };

  /** Sends requests on one connection until the server asks to close it; a request that fails fails the test. */
  async function keepPosting(name: string): Promise<number> {
    const wire = await openWire(program.port);
    for (let posted = 1; ; posted++) {
      wire.write(request(`${name}x${posted}`));
      const answer = await wire.answer();
      assert.equal(answer.status, 200);
      if (answer.headers.connection !== 'close') continue;
      assert.equal(await wire.rest(), '');
      return posted;
    }
  }

  /** Sends part of a request before the signal and the rest long after it. */
  async function half(wire: Wire, cut: (text: string) => number): Promise<() => Promise<void>> {
    const text = request('Half');
    wire.write(text.slice(0, cut(text)));
    return async () => {
      wire.write(text.slice(cut(text)));
      const answer = await wire.answer();
      assert.equal(answer.status, 200, JSON.stringify(answer.body));
      assert.equal(answer.headers.connection, 'close');
    };
  }

  test('fails no request that it has begun to read, closes idle connections, and ends', async () => {
    const clients = Array.from({ length: 16 }, (_, index) => keepPosting(`Client${index}`));
    const slow = [
      await half(await openWire(program.port), (text) => text.indexOf('\r\n') - 3),
      await half(await openWire(program.port), (text) => text.indexOf('host')),
      await half(await openWire(program.port), (text) => text.length - 5),
    ];
    const idle = await openWire(program.port);
    idle.write(request('Idle'));
    assert.equal((await idle.answer()).status, 200);
    const silent = await openWire(program.port);
    await until('it is under load', async () => (await rows()) > 300);

    const startedAt = performance.now();
    program.signal('SIGTERM');
    const posted = await Promise.all(clients);
    await until('it accepts no new connections', async () => !(await canConnect()));
    assert.ok(!program.hasEnded(), 'it waits for the slow ones');
    for (const finish of slow) await finish();
    assert.equal(await idle.rest(), '');
    assert.equal(await silent.rest(), '');
    assert.equal(await program.ended(), 0, program.said());
    assert.ok(performance.now() - startedAt < 25_000, 'it doesn’t wait for idle connections');
    const sum = posted.reduce((total, each) => total + each, 0);
    assert.equal(await rows(), sum + slow.length + 1, 'each answered request is stored once');
  });

  async function canConnect(): Promise<boolean> {
    return openWire(program.port).then(
      (wire) => {
        wire.destroy();
        return true;
      },
      () => false,
    );
  }

  async function rows(): Promise<number> {
    const [row] = await deployment.database.asOwner<{ count: number }>(
      `select count(*)::integer as count from contacts where first_name = 'Load'`,
    );
    return row?.count ?? 0;
  }
});
