import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { after, before, suite, test } from 'node:test';
import pg from 'pg';
import { type Deps, inTransaction } from '../../src/deps.ts';
import { setAdvisor } from '../../src/domain/accounts/advisors.ts';
import { addStaff } from '../../src/domain/accounts/staff.ts';
import { byOperator } from '../../src/domain/archive/archive.ts';
import { growTree } from '../../src/domain/archive/archive-tree.ts';
import { verifyArchive } from '../../src/domain/archive/archive-verification.ts';
import { freeWaiting } from '../../src/domain/delivery/freeing.ts';
import { addHold, liftHold } from '../../src/domain/record-keeping/holds.ts';
import { reconcile } from '../../src/domain/record-keeping/reconciliation.ts';
import { dispose, listDue, setRetention } from '../../src/domain/record-keeping/retention.ts';
import { dayMs, dayOf } from '../../src/domain/shared/time.ts';
import { routes } from '../../src/http/partner/routes.ts';
import { insertEntries } from '../../src/store/archive/archive.ts';
import { listDifferentTriggers } from '../../src/store/database/distribution/shard-triggers.ts';
import { advisorOwned } from '../../src/store/database/distribution/tables.ts';
import { DatabaseUnable, OutcomeUnknown } from '../../src/store/database/errors.ts';
import { inspectDatabase } from '../../src/store/database/schema/inspection.ts';
import { appRole, asOwner, migrate } from '../../src/store/database/schema/migrate.ts';
import { insertEvents } from '../../src/store/events/new-events.ts';
import { newcomer } from '../address-book/address-book.ts';
import { assertCounted } from '../address-book/book-counts.ts';
import { passRealTime, yearsMs } from '../archive/passing-years.ts';
import { signer } from '../archive/small-archive.ts';
import { type Citus, describeNodes, skip, startCitus } from '../support/citus.ts';
import { cloneDatabase, closeNodes, createDatabase } from '../support/clones.ts';
import { acceptedPhone, newPhone, send, statusOf } from '../support/texting.ts';
import { makeWorld, type Person, type World } from '../support/world.ts';
import { followSteps } from './citus-steps.ts';

/** That of the guide for operators. */
const template = 'assent';

type Shard = { name: string; shardId: string; host: string; port: number };

/** A value that any such parameter takes. */
function sampleOf(type: string): string {
  if (type.endsWith('[]')) return '{}';
  if (type.startsWith('timestamp') || type === 'date') return '2026-01-01';
  if (type === 'uuid') return '00000000-0000-0000-0000-000000000007';
  return type === 'boolean' ? 'true' : '7';
}

/** All tests can run there (`npm run citus`), which takes too long for every run; these are what differs most. */
suite('on a coordinator of Citus with two workers', { skip }, () => {
  let citus: Citus;
  let checked: string;
  let server: { administration: string; template: string };
  let world: World;
  let archiveDeps: Deps;
  /** They are on different workers. */
  let people: [Person, Person];

  before(async () => {
    citus = await startCitus({ fsync: 'off' }, async (servers) => {
      checked = await followSteps(servers);
    });
    server = { administration: citus.url('postgres'), template };
    await closeNodes(server.administration, server.template);
    world = await makeWorld({ database: { server } });
    archiveDeps = { ...world.deps, signer, checkpointFolder: null };
    people = [world.ann, await somebodyElsewhere(world.ann)];
  });
  after(async () => {
    // Its servers would keep the process running.
    await Promise.resolve(world?.close()).finally(() => citus?.stop());
  });

  const newDatabase = (name: string) => cloneDatabase(citus.url('postgres'), { name, template });

  async function shardOf(table: string, { advisor }: Person): Promise<Shard> {
    const [shard] = await world.database.asOwner<Shard>(
      `select shard_name as name, shardid as "shardId", nodename as host, nodeport as port
       from citus_shards
       where shardid = get_shard_id_for_distribution_column($1, $2::bigint)`,
      [table, advisor.advisorId],
    );
    return shard as Shard;
  }

  async function somebodyElsewhere(than: Person): Promise<Person> {
    const there = await shardOf('archive_heads', than);
    for (;;) {
      const person = await newcomer(world);
      if ((await shardOf('archive_heads', person)).port === there.port) continue;
      const textingNumber = newPhone();
      await setAdvisor(world.deps, person.advisor.advisorId, { textingNumber });
      return { ...person, advisor: { ...person.advisor, textingNumber } };
    }
  }

  async function sendAndDeliver(): Promise<void> {
    for (const person of people) await deliver(person, await acceptedPhone(world, person));
  }

  /** What waits too long for a shard is refused; a client repeats it. */
  async function deliver(person: Person, phone: string): Promise<void> {
    const key = { 'idempotency-key': randomUUID() };
    const attempt = () => send(person, { phone, text: 'Hello' }, key);
    let sent = await attempt();
    while (sent.status === 503) sent = await attempt();
    await statusOf(person, sent.body.successes[0].messageId, 'delivered');
  }

  async function assertIntact(): Promise<void> {
    await growTree(archiveDeps);
    const { verdict, faults } = await verifyArchive(archiveDeps, {
      verifiers: [signer.verifier],
      kept: null,
      progress: () => {},
    });
    assert.deepEqual([verdict, faults], ['intact', []]);
  }

  /** As a superuser who goes to the nodes themselves, and tells Citus that it is meant. */
  async function assertWalls(): Promise<void> {
    const tables = ['archive_entries', 'archive_bodies', 'archive_runs', 'retentions', 'holds'];
    const shards = await world.database.asOwner<Shard>(
      `select shard_name as name, shardid as "shardId", nodename as host, nodeport as port
       from citus_shards
       where table_name = any ($1::regclass[])`,
      [tables],
    );
    for (const { name, host, port } of shards)
      await onNode({ host, port, user: 'assent' }, async (query) => {
        await query('set citus.enable_manual_changes_to_shards to on');
        for (const change of [`delete from ${name}`, `truncate ${name} cascade`])
          await assert.rejects(query(change), /append-only/, change);
      });
    // Of the tables that are not an advisor's, each node has one.
    assert.equal(shards.length, 3 * (await countShards()) + 2 * 3);
    // Also those of all other triggers, and each fires always where its table's does.
    assert.deepEqual(await asOwner(world.database.url, listDifferentTriggers), []);
  }

  async function countShards(): Promise<number> {
    const shards = await world.database.asOwner(
      `select from pg_dist_shard where logicalrelid = 'archive_heads'::regclass`,
    );
    return shards.length;
  }

  async function onNode(
    node: { host: string; port: number; user: string; database?: string },
    work: (query: (sql: string) => Promise<unknown>) => Promise<void>,
  ): Promise<void> {
    const client = new pg.Client({ database: new URL(world.database.url).pathname.slice(1), ...node });
    await client.connect();
    await work((sql) => client.query(sql)).finally(() => client.end());
  }

  test('whose database was moved there by the guide’s steps, with its roles, doctor finds nothing wrong', async () => {
    assert.match(checked, /^intact: \d+ entries/m);
    for (const line of [/^ok +database/m, /^ok +triggers/m, /^ok +Citus +data is in 4 shards on 2 workers$/m])
      assert.match(checked, line);
    const failing = [...checked.matchAll(/^failing +(\w+)/gm)].map(([, check]) => check);
    // The tests don't wait for the disk, and a checkout may not have been built.
    assert.deepEqual(
      failing.filter((check) => check !== 'pages'),
      ['durability'],
    );
  });

  test('everything of an advisor is on one worker, and texts of advisors on both are delivered and archived', async () => {
    const [placed] = await world.database.asOwner(
      `select count(*)::integer as tables, count(distinct colocationid)::integer as places
       from pg_dist_partition
       where logicalrelid = any ($1::regclass[]) and partmethod = 'h'`,
      [[...advisorOwned]],
    );
    assert.deepEqual(placed, { tables: advisorOwned.length, places: 1 });
    await sendAndDeliver();
    await assertIntact();
  });

  test('both workers refuse an entry whose time is far from the clock', async () => {
    const entry = { kind: 'setting', memberId: null, actor: 'operator', traceId: null, meta: {}, body: 'x' } as const;
    for (const { advisor } of people) {
      const entries = [{ ...entry, advisorId: advisor.advisorId }];
      await assert.rejects(insertEntries(world.deps.db, entries, new Date(Date.now() - 25_000)), DatabaseUnable);
    }
  });

  test('there are two shards for each worker, or as many as asked for', async () => {
    assert.deepEqual((await inspectDatabase(world.database.url)).citus, { workers: 2, shards: 4, unreachable: [] });
    const url = await createDatabase(citus.url('postgres'), 'few');
    await migrate(url, { shards: 1 });
    assert.deepEqual((await inspectDatabase(url)).citus, { workers: 2, shards: 1, unreachable: [] });
  });

  test('what is asked about one advisor is asked of one shard', async (t) => {
    // A single connection, which then has prepared all of it.
    const reading = await makeWorld({ database: { server, size: 1 }, dispatch: false });
    t.after(() => reading.close());
    const { ann } = reading;
    for (const { method, path } of routes) if (method === 'GET') await ann.call('GET', path.replaceAll(/:\w+/g, '7'));
    await ann.call('GET', '/core/contact/contacts?phone=%2B12125550100');
    await ann.call('POST', '/core/contact/contacts', { firstName: 'Ann', lastName: 'Smith' });
    await ann.call('POST', '/text/messaging/messages', { phone: '+12125550100', text: 'Hello' });
    const { db } = reading.deps;
    const prepared = await db.query<{ name: string; types: string[] }>(
      `select name, parameter_types::text[] as types
       from pg_prepared_statements
       where statement ~ '\\madvisor_id = \\$1'`,
    );
    assert.notEqual(prepared.length, 0);
    const spread: string[] = [];
    for (const { name, types } of prepared) {
      const values = types.map((type) => `'${sampleOf(type)}'`).join();
      const plan = await db.query(`explain (format json) execute "${name}" (${values})`);
      const tasks = [...JSON.stringify(plan).matchAll(/"Task Count":(\d+)/g)].map(([, count]) => Number(count));
      if (tasks.length === 0 || tasks.some((count) => count > 1)) spread.push(`${name}: ${tasks}`);
    }
    assert.deepEqual(spread, []);
  });

  test('the carrier’s records and our attempts agree', async () => {
    await world.clock.advance(dayMs);
    const now = world.clock.now().getTime();
    const days = { firstDay: dayOf(new Date(now - 2 * dayMs)), lastDay: dayOf(new Date(now)) };
    const { counts, first } = await reconcile(world.deps, days, byOperator);
    assert.deepEqual(first, []);
    assert.deepEqual([counts.attempts, counts.carrierRecords], [2, 2]);
  });

  test('a transaction on both workers is committed on both or on neither', async () => {
    const advisorIds = people.map(({ advisor }) => advisor.advisorId);
    const listLast = async () => {
      const heads = await world.database.asOwner<{ last: number }>(
        'select last_event::integer as last from archive_heads where advisor_id = any ($1) order by advisor_id',
        [advisorIds],
      );
      return heads.map(({ last }) => last);
    };
    const events = advisorIds.map((advisorId) => ({ advisorId, type: 'message.received', memberId: 1 }) as const);
    const before = await listLast();
    const undone = inTransaction(world.deps, async ({ db, clock }) => {
      await insertEvents(db, events, clock.now());
      throw new Error('undone');
    });
    await assert.rejects(undone, /undone/);
    assert.deepEqual(await listLast(), before);
    await inTransaction(world.deps, ({ db, clock }) => insertEvents(db, events, clock.now()));
    assert.deepEqual(
      await listLast(),
      before.map((last) => last + 1),
    );
  });

  test('a statement that Citus refuses spoils its connection for nobody else', async () => {
    const { db } = world.deps;
    const refused = 'with one as (select from archive_heads limit 1 for update) select from one';
    await assert.rejects(
      db.transaction((db) => db.query(refused)),
      { code: '0A000' },
    );
    const event = { advisorId: world.ann.advisor.advisorId, type: 'message.received', memberId: 1 } as const;
    await db.transaction((db) => insertEvents(db, [event], world.clock.now()));
  });

  test('many new numbers at once become contacts, and the book’s counts are right', async () => {
    const [{ advisor }] = people;
    const sends = Array.from({ length: 4 }, () =>
      send(people[0], { phoneNumbers: Array.from({ length: 300 }, () => newPhone()), text: 'Hello' }),
    );
    for (const { status } of await Promise.all(sends)) assert.equal(status, 200);
    await assertCounted(world, advisor.advisorId);
  });

  test('the guards of the archive are on every shard', assertWalls);

  test('on a worker, the application’s role can’t say when an entry was recorded, nor write one about a retention', async () => {
    const { name, host, port } = await shardOf('archive_entries', world.ann);
    const columns = 'advisor_id, number, kind, actor, meta, commitment, date_time_created';
    const entry = (kind: string) => `${world.ann.advisor.advisorId}, 900, '${kind}', 'service', '{}', 'x', now()`;
    await onNode({ host, port, user: appRole }, async (query) => {
      for (const sql of [
        `insert into ${name} (${columns}, recorded_at) values (${entry('text_in')}, now())`,
        `insert into ${name} (${columns}) values (${entry('retention')})`,
        `delete from ${name}`,
      ])
        await assert.rejects(query(sql), { code: '42501' }, sql);
    });
  });

  test('whether a commit took effect is unknown if the advisor’s node failed meanwhile', async () => {
    // The node refuses consent without proof at the end of the transaction, when nobody can tell that from a node that went down.
    const committed = world.deps.db.transaction((db) =>
      db.query(
        `insert into members (advisor_id, phone, state, last_changed, date_time_created)
         values ($1, $2, 'accepted', now(), now())`,
        [world.ann.advisor.advisorId, newPhone()],
      ),
    );
    await assert.rejects(committed, OutcomeUnknown);
  });

  test('texts that stand still are freed, whoever’s they are', async () => {
    for (const person of people) {
      const phone = await acceptedPhone(world, person);
      await setAdvisor(world.deps, person.advisor.advisorId, { textingPace: 1 });
      for (let count = 0; count < 5; count += 1) await send(person, { phone, text: `${count}` });
    }
    assert.ok((await freeWaiting(world.deps)) >= 4);
  });

  test('bodies go when their retention is over, and the archive stays intact', async () => {
    await passRealTime(world.database, archiveDeps, yearsMs(8));
    await world.clock.advance(yearsMs(8));
    const { disposed } = await dispose(world.deps, { by: byOperator, dryRun: false });
    assert.ok(disposed >= 2, `${disposed} bodies`);
    await assertIntact();
    const { firmId } = people[0].advisor;
    const act = { reason: 'x', staff: await addStaff(world.deps, { firmId, name: 'Sue', email: 'sue@test.example' }) };
    const { holdId } = await addHold(world.deps, { firmId }, act);
    await liftHold(world.deps, holdId, act);
    assert.equal((await setRetention(world.deps, firmId, 3)).nextYears, 3);
    assert.ok(
      (await listDue(world.deps, firmId)).every(({ held }) => held),
      'for a week',
    );
  });

  test('a guard against truncation that a later migration adds or drops is on the shards too', async () => {
    const url = await newDatabase('later');
    const guards = async () => (await describeNodes(url)).filter((line) => /TRIGGER later/.test(line));
    await asOwner(url, async (client) => {
      await client.query('set citus.enable_unsafe_triggers to on');
      await client.query(
        'create trigger later before truncate on events for each statement execute function refuse_change()',
      );
      await client.query('alter table events enable always trigger later');
    });
    assert.deepEqual(await migrate(url), ['the triggers on shards of events']);
    const guard = (shard: string) =>
      `A CREATE TRIGGER later${shard} BEFORE TRUNCATE ON public.events${shard} FOR EACH STATEMENT EXECUTE FUNCTION refuse_change()`;
    assert.deepEqual(await guards(), [
      `coordinator: ${guard('')}`,
      `worker: ${guard('')}`,
      `worker: ${guard(' shard')}`,
    ]);
    await asOwner(url, async (client) => {
      await client.query('set citus.enable_unsafe_triggers to on');
      await client.query('drop trigger later on events');
    });
    await migrate(url);
    assert.deepEqual(await guards(), []);
  });

  test('a shard that is moved while it is written to keeps its entries, its guards and what the application may do', async () => {
    const [here, there] = await Promise.all(people.map((person) => shardOf('archive_heads', person)));
    let isMoved = false;
    const values = [here?.shardId, here?.host, here?.port, there?.host, there?.port];
    const move = () =>
      world.database.asOwner(`select citus_move_shard_placement($1::bigint, $2, $3, $4, $5, 'force_logical')`, values);
    // As an operator would: the locks of a move are on many tables, and it may be the one that ends a deadlock.
    const moving = move()
      .catch((error) => (error.code === '40P01' ? move() : Promise.reject(error)))
      .finally(() => {
        isMoved = true;
      });
    // Each of these texts goes to somebody who consents first.
    do await sendAndDeliver();
    while (!isMoved);
    await moving;
    await sendAndDeliver();
    await assertWalls();
    await assertIntact();
  });

  test('so does one that is split, while requests wait', async () => {
    const { shardId } = await shardOf('archive_heads', people[0]);
    const before = await countShards();
    const phones = await Promise.all(people.map((person) => acceptedPhone(world, person)));
    const splitting = world.database.asOwner(
      `select citus_split_shard_by_split_points(
         shardid, array[(shardminvalue::bigint / 2 + shardmaxvalue::bigint / 2)::text],
         array(select nodeid from pg_dist_node where groupid > 0), 'block_writes'
       )
       from pg_dist_shard
       where shardid = $1`,
      [shardId],
    );
    for (const [index, person] of people.entries()) await deliver(person, phones[index] as string);
    await splitting;
    assert.equal(await countShards(), before + 1);
    await sendAndDeliver();
    await assertWalls();
    await assertIntact();
  });

  test('doctor finds a shard whose trigger was dropped, or doesn’t fire always, and a migration restores it', async () => {
    const url = await newDatabase('weakened');
    const shards = await asOwner(url, (client) =>
      client.query<Shard>(
        `select shard_name as name, shardid as "shardId", nodename as host, nodeport as port
         from citus_shards
         where table_name = 'archive_entries'::regclass`,
      ),
    );
    const { name, shardId, host, port } = shards.rows[0] as Shard;
    const onShard = (sql: string) =>
      onNode({ host, port, user: 'assent', database: 'weakened' }, async (query) => {
        await query('set citus.enable_manual_changes_to_shards to on');
        await query(sql);
      });
    const weakened = async () => (await inspectDatabase(url)).weakened;
    const found = ['append_only on shards of archive_entries is not the table’s'];
    assert.deepEqual(await weakened(), []);
    await onShard(`drop trigger append_only_${shardId} on ${name}`);
    assert.deepEqual(await weakened(), found);
    assert.deepEqual(await migrate(url), ['the triggers on shards of archive_entries']);
    assert.deepEqual(await weakened(), []);
    await onShard(`alter table ${name} enable trigger append_only_${shardId}`);
    assert.deepEqual(await weakened(), found);
    await migrate(url);
    assert.deepEqual(await weakened(), []);
  });
});
