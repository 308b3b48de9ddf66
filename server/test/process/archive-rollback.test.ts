import assert from 'node:assert/strict';
import { rmSync, truncateSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, suite, test } from 'node:test';
import pg from 'pg';
import { runCommand } from '../support/commands.ts';
import { type Deployment, makeDeployment, type Program, startServer } from '../support/programs.ts';
import { until } from '../support/waiting.ts';

/** Cuts the archive to the checkpoint before the last, as a superuser can, so that nothing in the database shows it. */
const cut = `
  set session_replication_role = replica;
  alter table archive_entries disable trigger user;
  alter table archive_bodies disable trigger user;
  alter table archive_runs disable trigger user;
  alter table archive_checkpoints disable trigger user;
  create temporary table target as
    select size, split_part(note, E'\\n', 3) as root
    from archive_checkpoints
    where size < (select size from archive_tree)
    order by checkpoint_id desc
    limit 1;
  delete from archive_checkpoints where size > (select size from target);
  delete from archive_runs where first_leaf >= (select size from target);
  update archive_tiles set hashes = substring(hashes for (select size * 32 from target)::integer) where level = 0;
  update archive_tree set size = target.size, root = decode(target.root, 'base64'), fault = null from target;
  delete from archive_taken;
  insert into archive_taken select advisor_id, max(first_number + entries - 1) from archive_runs group by 1;
  delete from archive_bodies b where number > coalesce((select last_number from archive_taken t where t.advisor_id = b.advisor_id), 0);
  delete from archive_entries e where number > coalesce((select last_number from archive_taken t where t.advisor_id = e.advisor_id), 0);
  update archive_heads h set last_number = coalesce((select last_number from archive_taken t where t.advisor_id = h.advisor_id), 0)`;

suite('a server’s archive that is cut to an earlier signed checkpoint', () => {
  let deployment: Deployment;
  let server: Program;
  before(async () => {
    deployment = await makeDeployment();
    server = await startServer(deployment.env);
  });
  after(async () => {
    await server?.stop();
    await deployment.remove();
  });

  const run = (...args: string[]) => runCommand(args, deployment.env);
  const outside = (name: string) => join(deployment.folder.path, 'archive-outside', name);
  const archiveOf = async () => ((await (await server.fetch('/readyz')).json()) as { archive: string }).archive;
  const metric = async (name: string) => {
    const text = await (await server.fetch('/metrics')).text();
    return Number(
      text
        .split('\n')
        .find((line) => line.startsWith(`${name} `))
        ?.split(' ')[1],
    );
  };
  const size = async () => {
    const [row] = await deployment.database.asOwner<{ size: string }>('select size from archive_tree');
    return Number(row?.size);
  };
  const isSigned = async () => {
    const [row] = await deployment.database.asOwner<{ entries: string }>(
      'select sum(last_number) as entries from archive_heads',
    );
    return (await size()) === Number(row?.entries);
  };
  /** One more entry, signed and copied. */
  const grow = async (name: string) => {
    assert.equal((await run('firms', 'add', name)).status, 0);
    await until('all is signed', isSigned);
    const copied = async () => (await metric('assent_archive_outside_entries')) === (await size());
    await until('it is copied', copied);
  };

  /** How large the tree was when it was cut, and is now. Nothing is signed in between: once a minute a job may write an entry. */
  const cutBack = async (): Promise<[signed: number, smaller: number]> => {
    const owner = new pg.Client({ connectionString: deployment.database.url });
    await owner.connect();
    const sizeNow = async () => Number((await owner.query('select size from archive_tree')).rows[0].size);
    await owner.query('begin; lock table archive_tree in exclusive mode');
    const signed = await sizeNow();
    await owner.query(cut);
    const smaller = await sizeNow();
    await owner.query('commit');
    await owner.end();
    return [signed, smaller];
  };

  test('says so once a copy outside is emptied, until an operator has copied anew', async () => {
    await grow('First Wealth');
    assert.equal(await archiveOf(), 'ok');
    assert.equal((await run('archive', 'verify')).status, 0);
    for (const name of ['checkpoints', 'leaves']) {
      truncateSync(outside(name));
      await until('readiness says so', async () => (await archiveOf()) === 'fault');
      assert.equal(await metric('assent_archive_fault{about="copies"}'), 1);
      assert.equal(await metric('assent_archive_fault{about="signing"}'), 0);
      const { status, stdout } = await run('archive', 'verify');
      assert.equal(status, 2, stdout);
      assert.match(stdout, new RegExp(`archive-outside/${name}: it is empty`));
      assert.equal((await run('archive', 'status')).status, 1);
      assert.equal((await run('archive', 'copy')).status, 1);
      assert.equal((await run('archive', 'copy', '--anew')).status, 0);
      await until('all is well', async () => (await archiveOf()) === 'ok');
      assert.equal((await run('archive', 'verify')).status, 0);
    }
  });

  test('is not signed again by the running server, nor after a restart, though the copies outside are deleted', async () => {
    await grow('Second Wealth');
    for (const name of ['checkpoints', 'leaves']) rmSync(outside(name));
    const [signed, smaller] = await cutBack();
    assert.ok(smaller < signed);
    assert.equal((await run('firms', 'add', 'Third Wealth')).status, 0);
    for (const restarts of [false, true]) {
      if (restarts) {
        await server.stop();
        server = await startServer(deployment.env);
      }
      const refusal = `signed tree of ${signed} entries, but the tree has ${smaller}`;
      await until('the log says so', () => server.said().includes(refusal));
      assert.equal(await metric('assent_archive_fault{about="signing"}'), 1);
      assert.equal(await archiveOf(), 'fault');
      assert.equal(await size(), smaller);
      const { status, stdout } = await run('archive', 'verify');
      assert.notEqual(status, 0);
      assert.match(
        stdout,
        new RegExp(`leaf ${smaller}: it and all after it were removed: ${signed} entries were signed`),
      );
      assert.match(stdout, /archive-outside\/checkpoints: it is missing/);
      assert.match(stdout, /archive-outside\/leaves: it is missing/);
    }
  });

  test('is not signed either once the node’s memory is deleted too, until somebody confirms it by name', async () => {
    await server.stop();
    rmSync(join(deployment.folder.path, 'archive.key.signed'));
    server = await startServer(deployment.env);
    const smaller = await size();
    await until('the log says so', () => server.said().includes('they can’t tell what was signed'));
    await until('readiness says so', async () => (await archiveOf()) === 'fault');
    assert.equal(await size(), smaller);
    const { status, stdout } = await run('archive', 'verify');
    assert.equal(status, 3, stdout);
    assert.match(stdout, /^unknown: /);
    assert.match(stdout, /archive\.key\.signed: .*they can’t tell what was signed/);
    const doctor = await run('doctor');
    assert.equal(doctor.status, 1);
    assert.match(doctor.stdout, /failing\S* +archive +This node’s memory is missing/);
    assert.equal((await run('archive', 'copy', '--anew')).status, 1, 'copies of it would vouch for it');
    const { firmId } = JSON.parse((await run('firms', 'list', '--json')).stdout)[0];
    const dana = ['--name', 'Dana', '--email', 'dana@example.com'];
    assert.equal((await run('staff', 'add', String(firmId), ...dana)).status, 0);
    const why = ['--reason', 'The test removed it', '--by', 'dana@example.com'];
    assert.equal((await run('archive', 'trust', '--yes', ...why)).status, 0);
    await until('it is signed', async () => (await size()) > smaller);
    await until('all is well', async () => (await archiveOf()) === 'ok');
    assert.equal((await run('archive', 'trust', '--yes', ...why)).status, 1, 'there is nothing more to confirm');
  });
});
