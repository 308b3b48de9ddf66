import assert from 'node:assert/strict';
import { globSync, readFileSync } from 'node:fs';
import { test } from 'node:test';

const root = new URL('../..', import.meta.url);
const files = globSync('{server/{src,test,bench,faults,fuzz},web/src,sdk/src}/**/*.{ts,tsx}', { cwd: root });
const programs = globSync('{server,scripts,faces}/*.ts', { cwd: root });
const participle =
  /\b(?:type|class|interface) ([A-Z][a-z]*(?<!Fe|Ne)ed|Begun|Brought|Built|Chosen|Done|Found|Given|Gone|Heard|Held|Kept|Known|Left|Lost|Made|Read|Said|Seen|Sent|Shown|Taken|Told|Written)\b/g;

test('a type is named by what it is, and not by what was done to it', () => {
  const found = files.flatMap((file) => {
    const source = readFileSync(new URL(file, root), 'utf8');
    return [...source.matchAll(participle)].map(([, name]) => `${file}: ${name}`);
  });
  assert.deepEqual(found, []);
});

test('an exported type’s name means one thing', () => {
  const homes = new Map<string, string[]>();
  for (const file of files.filter((each) => each.startsWith('server/src/'))) {
    const source = readFileSync(new URL(file, root), 'utf8');
    for (const [, name = ''] of source.matchAll(/^export (?:type|class|interface) (\w+)/gm))
      homes.set(name, [...(homes.get(name) ?? []), file]);
  }
  assert.deepEqual(
    [...homes].filter(([, its]) => its.length > 1),
    [],
  );
});

test('what a file exports, another one uses', () => {
  const users = new Map<string, number>();
  for (const file of [...files, ...programs])
    for (const word of new Set(readFileSync(new URL(file, root), 'utf8').match(/\w+/g)))
      users.set(word, (users.get(word) ?? 0) + 1);
  const unused = files
    .filter((file) => /^(server|web)\/src\//.test(file))
    .flatMap((file) => {
      const source = readFileSync(new URL(file, root), 'utf8');
      const exported = source.matchAll(/^export (?:async )?(?:function\*?|const|class|type|interface) (\w+)/gm);
      return [...exported].filter(([, name = '']) => users.get(name) === 1).map(([, name]) => `${file}: ${name}`);
    });
  assert.deepEqual(unused, []);
});
