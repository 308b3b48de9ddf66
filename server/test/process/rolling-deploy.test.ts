import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { after, before, suite, test } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import pg from 'pg';
import { makeDatabase, type TestDatabase } from '../support/database.ts';
import { checkMs, skip as skipHaproxy, startHaproxy } from '../support/haproxy.ts';
import { credentials } from '../support/nodes.ts';
import { freePort, makeDataFolder, type Program, startServer } from '../support/programs.ts';
import { findVersionBefore, type VersionBefore } from '../support/version-before.ts';
import { until } from '../support/waiting.ts';

const senders = 4;
const longMs = 60_000;
const restMs = 20;
/** The newest migration of the version before isn't the newest of this one. */
const migrations = `select name from migrations order by name desc limit 1`;

let version: VersionBefore | null = null;
if (!skipHaproxy) version = findVersionBefore();
const name = version
  ? `from ${version.commit}, the version before the newest migration, to this one`
  : 'from this version to this one, since this clone has no other';

suite('a rolling deployment', { skip: skipHaproxy }, () => {
  const folder = makeDataFolder();
  let database: TestDatabase;
  const programs: Program[] = [];
  const stops: (() => Promise<void>)[] = [];

  before(async () => {
    const administration = process.env.ASSENT_TEST_DATABASE ?? '';
    // The version before makes its own schema in it.
    database = await makeDatabase({ size: 1, server: { administration, template: 'template1' } });
  });
  after(async () => {
    for (const program of programs) if (!program.hasEnded()) await program.stop('SIGKILL');
    for (const stop of stops) await stop();
    await database.drop();
    folder.remove();
    version?.remove();
  });

  test(`${name}: no request fails, and no text is lost or doubled`, async () => {
    const [front, ...ports] = [await freePort(), await freePort(), await freePort()] as const;
    const env = {
      DATABASE_URL: database.url,
      ASSENT_DATA_DIR: folder.path,
      PUBLIC_URL: `http://localhost:${front}`,
      STOP_GRACE_MS: String(5 * checkMs),
    };
    const old = await startServer({ ...env, PORT: String(ports[0]) }, version?.checkout);
    programs.push(old);
    stops.push((await startHaproxy(folder.path, front, [...ports])).stop);
    await database.asOwner('update api_keys set rate_per_second = null, burst = null');
    const [{ name: oldest }] = (await database.asOwner<{ name: string }>(migrations)) as [{ name: string }];

    const load = await startSenders(env);
    await until('texts are accepted', () => load.accepted.size > 20, longMs);
    // It migrates while the old one serves, as soon as it gets the tables that it needs.
    const release = version ? await holdMigrations() : async () => {};
    const starting = startServer({ ...env, PORT: String(ports[1]) });
    if (version) await giveUpOnce();
    await release();
    const next = await starting;
    programs.push(next);
    const [{ name: newest }] = (await database.asOwner<{ name: string }>(migrations)) as [{ name: string }];
    if (version) assert.notEqual(newest, oldest);
    const both = load.accepted.size;
    await until('texts are accepted by both', () => load.accepted.size > both + 40, longMs);
    assert.equal(await old.stop('SIGTERM'), 0, old.said());
    const alone = load.accepted.size;
    await until('texts are accepted by the new one', () => load.accepted.size > alone + 20, longMs);
    await load.stop();

    const waiting = () => database.asOwner('select from dispatches union all select from claims');
    await until('everything is handed over', async () => (await waiting()).length === 0, longMs);
    const onPhones = await database.asOwner<{ text: string; times: number }>(
      'select text, count(*)::integer as times from handset_messages group by text',
    );
    assert.deepEqual(load.failed, []);
    assert.deepEqual(new Set(onPhones.map(({ text }) => text)), load.accepted);
    assert.deepEqual(
      onPhones.filter(({ times }) => times !== 1),
      [],
    );
  });

  /** Somebody who has the table that every migration writes to. */
  async function holdMigrations(): Promise<() => Promise<void>> {
    const holder = new pg.Client({ connectionString: database.url });
    await holder.connect();
    await holder.query('begin; lock table migrations in exclusive mode');
    return () => holder.end();
  }

  /** Waits until the migration has waited, has let others through, and waits again. */
  async function giveUpOnce(): Promise<void> {
    const waits = async () =>
      (
        await database.asOwner(
          `select from pg_stat_activity
           where datname = current_database() and application_name = 'assent migrate' and wait_event_type = 'Lock'`,
        )
      ).length > 0;
    await until('the migration waits', waits, longMs);
    await until('it has given up', async () => !(await waits()), longMs);
    await until('it tries again', waits, longMs);
  }

  /** Clients that send one text after another through HAProxy, half of them with keys. */
  async function startSenders(env: Record<string, string>) {
    const { apiKey, tokenUrl, clientId, clientSecret, advisors } = folder.sandbox();
    const advisor = advisors.find(({ email }) => email === 'casey@sandbox.example');
    // Not by the command, which is of this version and would migrate.
    const granted = await fetch(tokenUrl, {
      method: 'POST',
      body: new URLSearchParams({
        grant_type: 'client_credentials',
        client_id: clientId,
        client_secret: clientSecret,
        advisor_id: String(advisor?.id),
        scope: 'text.messaging.write',
      }),
    });
    const { access_token } = (await granted.json()) as { access_token: string };
    const headers = { ...credentials(access_token, apiKey), 'content-type': 'application/json' };
    const [accepted, failed]: [Set<string>, string[]] = [new Set(), []];
    let isOver = false;
    const send = async (index: number) => {
      while (!isOver) {
        const text = `Text ${randomUUID()}`;
        const answer = await fetch(`${env.PUBLIC_URL}/v1/text/messaging/messages`, {
          method: 'POST',
          headers: { ...headers, ...(index % 2 === 0 && { 'idempotency-key': randomUUID() }) },
          body: JSON.stringify({ phone: `+1212555${1000 + index}`, text }),
        });
        if (answer.status === 200) accepted.add(text);
        else failed.push(`${answer.status} ${await answer.text()}`);
        await answer.body?.cancel().catch(() => {});
        await pause(restMs);
      }
    };
    const sending = Array.from({ length: senders }, (_, index) =>
      send(index).catch((error) => failed.push(String(error))),
    );
    return {
      accepted,
      failed,
      async stop() {
        isOver = true;
        await Promise.all(sending);
      },
    };
  }
});
