import assert from 'node:assert/strict';
import { after, before, suite, test } from 'node:test';
import { falseIfTaken } from '../../src/store/database/errors.ts';
import { copyRow } from '../../src/store/database/running/copy.ts';
import { appRole } from '../../src/store/database/schema/migrate.ts';
import { makeWorld, type World } from '../support/world.ts';

/** More than are written in one turn. */
const count = 600;
const text = 'copy copied (id, text) from stdin';

suite('rows that are copied', () => {
  let world: World;
  before(async () => {
    world = await makeWorld();
    await world.database.asOwner('create table copied (id integer primary key, text text)');
    await world.database.asOwner(`grant insert, select on copied to ${appRole}`);
  });
  after(() => world.close());

  const ids = (from: number) => Array.from({ length: count }, (_, n) => from + n);
  const copied = () => world.database.pool.query<{ id: number }>('select id, text from copied order by id');

  test('come back as they were', async () => {
    const texts = ['', 'plain', 'a\tb\nc\r\\.', '\\N', 'Émile 李😀', null];
    const rows = ids(0).map((id) => ({ id, text: texts[id % texts.length] ?? null }));
    await world.database.pool.transaction((db) =>
      db.copy(
        text,
        rows.map((row) => copyRow([row.id, row.text])),
      ),
    );
    assert.deepEqual(await copied(), rows);
  });

  test('are none at all if one can’t be made, or is refused', async () => {
    const before = await copied();
    function* broken(): Generator<string> {
      for (const id of ids(1_000)) yield copyRow([id, 'x']);
      throw new Error('No more.');
    }
    await assert.rejects(
      world.database.pool.transaction((db) => db.copy(text, broken())),
      /No more/,
    );
    // The first of them is there already, so PostgreSQL refuses while most are still to be made.
    const copy = ids(0).map((id) => copyRow([id, 'x']));
    const isCopied = await world.database.pool.transaction((db) =>
      db
        .savepoint(() => db.copy(text, copy))
        .then(() => true)
        .catch(falseIfTaken),
    );
    assert.equal(isCopied, false);
    assert.deepEqual(await copied(), before);
  });
});
