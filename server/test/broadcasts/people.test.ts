import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import type { Deps } from '../../src/deps.ts';
import { textsFor } from '../../src/domain/broadcasts/people.ts';
import { takeTurn } from '../../src/domain/shared/turns.ts';

const people = 999;
const textMax = 1_600;

/** A group whose people have names of 200 letters, every second one without a phone. */
const db = {
  lookUp: async () => [{ name: 'Everybody', people }],
  query: async (_text: string, _values: unknown[], name: string) =>
    name !== 'list-group-people'
      ? []
      : Array.from({ length: people }, (_, index) => {
          const firstName = String(index).padEnd(200, '\u0436');
          const phone = index % 2 ? `+1500556${String(index).padStart(4, '0')}` : null;
          return { contactId: index, phone, firstName, lastName: null, nickname: null, name: firstName };
        }),
} as unknown as Deps['db'];

test('a text that names make too long is kept as far as a text goes, and no more of it in memory', async () => {
  setFlagsFromString('--expose-gc');
  const collect = runInNewContext('gc') as () => void;
  collect();
  const before = process.memoryUsage().heapUsed;
  const texts = [];
  const { pages } = await textsFor({ db } as Deps, 1, 1, '{firstName}'.repeat(145));
  for await (const some of pages({ db, turn: takeTurn })) texts.push(...some);
  collect();
  const keptMb = (process.memoryUsage().heapUsed - before) / 1e6;
  assert.deepEqual(new Set(texts.map(({ text }) => text.length)), new Set([textMax]));
  assert.deepEqual(new Set(texts.map(({ refused }) => refused)), new Set(['no_phone', 'too_long']));
  // In whole, they would be 58.
  assert.ok(keptMb < 20, `${keptMb} MB`);
});
