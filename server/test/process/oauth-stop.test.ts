import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { type Deployment, makeDeployment, type Program, startServer } from '../support/programs.ts';
import { openWire } from '../support/sockets.ts';
import { until } from '../support/waiting.ts';

/** A client that isn't asked to close its connection goes on until then. To ask takes a moment, also on a busy machine. */
const graceMs = 20_000;

let deployment: Deployment;
let program: Program;
before(async () => {
  deployment = await makeDeployment();
  program = await startServer({ ...deployment.env, STOP_GRACE_MS: String(graceMs) });
});
after(async () => {
  program.signal('SIGKILL');
  await program.ended();
  await deployment.remove();
});

test('a stop fails no token request: each answer asks the client to close its connection', async () => {
  const { clientId, clientSecret, advisors } = deployment.folder.sandbox();
  const form = new URLSearchParams({
    grant_type: 'client_credentials',
    client_id: clientId,
    client_secret: clientSecret,
    advisor_id: String(advisors[0]?.id),
  }).toString();
  const head = `POST /oauth/token HTTP/1.1\r\nhost: localhost\r\ncontent-type: application/x-www-form-urlencoded\r\n`;
  let answered = 0;

  /** Sends requests on one connection until the server asks to close it; a request that fails fails the test. */
  async function keepAsking(): Promise<void> {
    const wire = await openWire(program.port);
    for (;;) {
      wire.write(`${head}content-length: ${form.length}\r\n\r\n${form}`);
      const { status, headers } = await wire.answer();
      assert.equal(status, 200);
      answered++;
      if (headers.connection === 'close') return wire.destroy();
    }
  }
  const clients = Array.from({ length: 8 }, keepAsking);
  await until('the server is under load', () => answered > 50);
  program.signal('SIGTERM');
  await Promise.all(clients);
  assert.equal((await program.fetch('/healthz')).status, 200, 'each client was asked before the time was up');
  assert.equal(await program.ended(), 0, program.said());
});
