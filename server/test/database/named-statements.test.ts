import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { after, suite, test } from 'node:test';
import { listNames } from '../../statements.ts';
import { makeWorld } from '../support/world.ts';

const written = readFileSync(new URL('../../statements.sql', import.meta.url), 'utf8');
const statements = new Map(
  written
    .split(/^(?=prepare )/m)
    .slice(1)
    .map((prepare) => [prepare.match(/^prepare "(.+)" as$/m)?.[1] ?? prepare, prepare]),
);

suite('statements.sql', async () => {
  const world = await makeWorld({ database: { size: 1 } });
  after(() => world.close());

  test('has every statement that has a name in the store', () => {
    const written = [...statements.keys()];
    const missing = listNames().filter((name) => !written.some((each) => each.startsWith(name)));
    assert.deepEqual(missing, []);
  });

  test('has statements that PostgreSQL can prepare as the server does', async () => {
    const refused: string[] = [];
    for (const [name, prepare] of statements)
      await world.database
        .asOwner(`set role assent_app; ${prepare} deallocate "${name}"; reset role`)
        .catch((error) => refused.push(`${name}: ${error.message}`));
    assert.deepEqual(refused, []);
  });

  test('has the very statements that a server prepares', async () => {
    const { ann, deps } = world;
    await ann.call('POST', '/text/messaging/messages', { phone: '+12125550100', text: 'Hello' });
    await ann.call('GET', '/text/messaging/messages?status=failed');
    await ann.call('GET', '/core/contact/contacts?phone=%2B12125550100');
    await ann.call('POST', '/core/contact/contacts', { firstName: 'Ann', lastName: 'Smith' });
    const prepared = await deps.db.query<{ name: string; statement: string }>(
      'select name, statement from pg_prepared_statements',
    );
    assert.ok(prepared.length > 3, `${prepared.length} prepared`);
    for (const { name, statement } of prepared)
      assert.equal(words(statements.get(name) ?? ''), words(`prepare "${name}" as ${statement};`));
  });
});

function words(sql: string): string {
  return sql
    .trim()
    .split(/\s+/)
    .join(' ')
    .replace(/ ?; ?$/, ';');
}
