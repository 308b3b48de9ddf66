import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { advisorOwned, shared } from '../../src/store/database/distribution/tables.ts';
import { listStoreFunctions } from '../support/store-statements.ts';

const functions = listStoreFunctions(advisorOwned);
const schema = readFileSync(new URL('../../schema.sql', import.meta.url), 'utf8');

test('every statement of the store names the advisor, or says why it spans advisors', () => {
  const silent = functions.filter(({ tables, namesAdvisor, spans }) => tables.length > 0 && !namesAdvisor && !spans);
  assert.deepEqual(
    silent.map(({ name, tables }) => `${name} (${tables.join(', ')})`),
    [],
    'add `advisor_id = $n`, or "Spans advisors: the reason." to its comment',
  );
});

test('nothing says that it spans advisors without doing so', () => {
  const stale = functions.filter(({ tables, namesAdvisor, spans }) => spans && (namesAdvisor || tables.length === 0));
  assert.deepEqual(
    stale.map(({ name, spans }) => `${name}: ${spans}`),
    [],
  );
});

test('every advisor-owned table exists and has the advisor in its primary key', () => {
  for (const table of advisorOwned)
    assert.match(schema, new RegExp(String.raw`create table ${table} \([^;]*PRIMARY KEY \([^)]*\badvisor_id\b`), table);
  for (const table of shared) assert.match(schema, new RegExp(String.raw`create table ${table} \(`), table);
});
