import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { isEveryday } from '../../scripts/test-groups.ts';
import { type DeliberateFault, deliberateFaults } from '../faults/deliberate/list.ts';

test('thirty sentences of the rules have a fault each', () => {
  assert.equal(deliberateFaults.length, 30);
  assert.equal(new Set(deliberateFaults.map(({ sentence }) => sentence)).size, 30);
});

test('each fault changes the server, in one place', () => {
  const changes = ({ file, from, to }: DeliberateFault) =>
    /^server\/src\/.+\.(ts|mjs)$/.test(file) && sourceOf(file).split(from).length === 2 && to !== from;
  assert.deepEqual(othersThan(changes), []);
});

test('an everyday test finds each, by the name that the list has', () => {
  const isFound = ({ test, name = '' }: DeliberateFault) => isEveryday(test) && sourceOf(test).includes(name);
  assert.deepEqual(othersThan(isFound), []);
});

function othersThan(isRight: (fault: DeliberateFault) => boolean): string[] {
  return deliberateFaults
    .filter((fault) => !isRight(fault))
    .map(({ rule, file, test }) => `rule ${rule}: ${file}, ${test}`);
}

function sourceOf(file: string): string {
  return readFileSync(new URL(`../../${file}`, import.meta.url), 'utf8');
}
