import assert from 'node:assert/strict';
import type { Deps } from '../../src/deps.ts';
import { connect } from '../../src/store/database/pool.ts';
import { appRole } from '../../src/store/database/schema/migrate.ts';
import { makeAdvisorApp, password } from '../support/advisor-app.ts';
import { handset } from '../support/texting.ts';
import type { Visit } from '../support/visitor.ts';

/** Ann in her app, and what it calls and shows of her texts and requests to many people. */
export async function makeBroadcasts() {
  const { world, visitor, close } = await makeAdvisorApp();
  const ann = visitor();
  const otherPool = connect({ connectionString: world.database.url, size: 10, timeoutMs: 5_000, role: appRole });
  let formToken = '';

  async function signIn(): Promise<void> {
    await ann.signIn(world.ann.advisor.email, password);
    formToken = (await call('GET', '/session')).body.formToken;
  }

  async function call(method: 'GET' | 'POST', path: string, body?: object, key?: string): Promise<Visit> {
    const headers = { 'x-form-token': formToken, ...(key ? { 'idempotency-key': key } : {}) };
    return ann.call(method, `/app/api${path}`, { body, headers });
  }

  async function broadcast(broadcastId: number) {
    const { status, body } = await call('GET', `/broadcasts/${broadcastId}`);
    assert.equal(status, 200, JSON.stringify(body));
    return body;
  }

  // biome-ignore lint/suspicious/noExplicitAny: bodies of every shape.
  async function recipients(broadcastId: number, query = ''): Promise<any[]> {
    return (await call('GET', `/broadcasts/${broadcastId}/recipients${query}`)).body.data;
  }

  await signIn();
  return {
    world,
    signIn,
    call,
    broadcast,
    recipients,
    outcomes: async (broadcastId: number): Promise<[string, string | null][]> =>
      (await recipients(broadcastId)).map(({ outcome, code }) => [outcome, code]),
    textsTo: (phones: string[]): Promise<number[]> =>
      Promise.all(phones.map(async (phone) => (await handset(world, phone)).length)),
    /** Another node shares only the database with the first. */
    onOther: (): Deps => ({ ...world.deps, db: otherPool }),
    close: async () => {
      await otherPool.end();
      await close();
    },
  };
}
