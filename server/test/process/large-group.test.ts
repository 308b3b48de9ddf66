import assert from 'node:assert/strict';
import { after, before, suite, test } from 'node:test';
import pg from 'pg';
import { keepInStep } from '../../bench/seeding.ts';
import { runCommand } from '../support/commands.ts';
import { type Deployment, makeDeployment, type Program, startServer } from '../support/programs.ts';
import { until } from '../support/waiting.ts';

const members = 100_000;

suite(`a group of ${members} members`, () => {
  let deployment: Deployment;
  let program: Program;
  let headers: Record<string, string>;
  let advisorId: number;
  let groupId: number;
  before(async () => {
    deployment = await makeDeployment();
    program = await startServer(deployment.env);
    const { apiKey, advisors } = deployment.folder.sandbox();
    const devon = advisors.find(({ email }) => email.startsWith('devon'));
    const { stdout } = await runCommand(['token', '--advisor', devon?.email ?? ''], deployment.env);
    headers = { authorization: `Bearer ${stdout.trim()}`, 'x-api-key': apiKey, 'content-type': 'application/json' };
    advisorId = devon?.id ?? 0;
    groupId = (await call('POST', '/groups', { name: 'Everybody', externalGroupId: 'everybody' })).body.id;
    await addMembers();
  });
  after(async () => {
    await program.stop('SIGKILL');
    await deployment.remove();
  });

  /** In SQL, and without a check of each row: through the API it would take hours. All have the same search keys, which is faster. */
  async function addMembers(): Promise<void> {
    const owner = new pg.Client({ connectionString: deployment.database.url });
    await owner.connect();
    await owner.query('set session_replication_role = replica');
    await owner.query(
      `insert into contacts (
         advisor_id, first_name, last_name, source, search_text, search_keys, group_count, date_time_created,
         date_time_modified
       )
       select
         $1, 'Member', n, 2, ' member ', '{me,mem,+ber}', 1, '2026-01-01', '2026-01-01'
       from generate_series(1, ${members}) as n`,
      [advisorId],
    );
    await owner.query(
      `insert into memberships (advisor_id, group_id, contact_id)
       select advisor_id, $2, contact_id
       from contacts
       where advisor_id = $1`,
      [advisorId, groupId],
    );
    await keepInStep(owner);
    await owner.query('analyze contacts, memberships');
    await owner.end();
  }

  async function call(method: string, path: string, body?: object) {
    const init = { method, headers, ...(body ? { body: JSON.stringify(body) } : {}) };
    const response = await program.fetch(`/v1/core/contact${path}`, init);
    const text = await response.text();
    return { status: response.status, body: text === '' ? null : JSON.parse(text) };
  }

  async function left(): Promise<number> {
    const [row] = await deployment.database.asOwner<{ count: number }>(
      'select count(*)::integer from memberships where advisor_id = $1',
      [advisorId],
    );
    return row?.count ?? 0;
  }

  /** What every reader sees after the deletion: no contact is in a group, and the group isn't there. */
  async function assertGone(): Promise<void> {
    for (const query of ['sortBy=groupCount', 'sortBy=groupCount&sortDirection=desc&page=250', 'search=member']) {
      const { body } = await call('GET', `/contacts?pageSize=200&${query}`);
      assert.equal(body.pageInfo.totalRecord, members);
      assert.equal(body.data.length, 200);
      for (const { groupCount, groupNames } of body.data) assert.deepEqual([groupCount, groupNames], [0, []]);
    }
    const { body: found } = await call('GET', `/contacts?groupId=${groupId}`);
    assert.deepEqual([found.pageInfo.totalRecord, found.data], [0, []]);
    const { body: last } = await call('GET', '/contacts?sortBy=dateTimeCreated&sortDirection=desc&pageSize=1');
    assert.deepEqual((await call('GET', `/contacts/${last.data[0].contactId}`)).body.groupIds, []);
  }

  test('is deleted with one answer, at once and for every reader, while other requests aren’t held', async () => {
    assert.equal((await call('GET', '/groups')).body.data[0].contactCount, members);
    assert.equal((await call('DELETE', `/groups/${groupId}`)).status, 204);
    assert.deepEqual((await call('GET', '/groups')).body.data, []);
    assert.equal((await call('DELETE', `/groups/${groupId}`)).status, 404);
    const { body: again } = await call('POST', '/groups', { name: 'Everybody', externalGroupId: 'everybody' });
    assert.notEqual(again.id, groupId);
    await until('some memberships are removed', async () => (await left()) < members, undefined, 50);
    await assertGone();
    // Changes of the same book, which the removal locks in turns.
    const { body: made } = await call('POST', '/contacts', { firstName: 'New', lastName: 'Person' });
    assert.equal((await call('PUT', `/contacts/${made.id}`, { firstName: 'Newer' })).status, 200);
    assert.equal((await call('DELETE', `/contacts/${made.id}`)).status, 204);
    assert.ok((await left()) > 0, 'all that happened in the middle of it');
  });

  test('loses its memberships in the background, even if the server is killed in between', async () => {
    await program.stop('SIGKILL');
    const kept = await left();
    assert.ok(kept > 0 && kept < members, `${kept} were left`);
    await assertConsistent();
    program = await startServer({ ...deployment.env, PORT: String(program.port) });
    await assertGone();
    // More than one run of the job removes. To the last one would take half a minute.
    await until('the next server goes on', async () => (await left()) < kept - 12_000, 60_000, 500);
    await program.stop();
    await assertConsistent();
  });

  /** Each step removes memberships and their counts together, and changes no contact's time. */
  async function assertConsistent(): Promise<void> {
    const [counts] = await deployment.database.asOwner<Record<string, number>>(
      `select
         sum(group_count)::integer as counted,
         (select count(*)::integer from memberships m where m.advisor_id = $1) as memberships,
         count(*) filter (where date_time_modified <> '2026-01-01')::integer as modified
       from contacts
       where advisor_id = $1`,
      [advisorId],
    );
    assert.equal(counts?.counted, counts?.memberships);
    assert.equal(counts?.modified, 0);
  }
});
