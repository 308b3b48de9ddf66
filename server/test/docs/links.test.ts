import assert from 'node:assert/strict';
import { existsSync, globSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { suite, test } from 'node:test';
import { root } from '../../src/config.ts';

const pages = globSync(['*.md', 'docs/**/*.md'], { cwd: root }).sort();
const workflows = globSync('.github/workflows/*.yml', { cwd: root });
/** Paths in backticks are written from one of these folders. */
const bases = ['server/src', 'server', 'server/test', '.'];

const architecture = readFileSync(join(root, 'ARCHITECTURE.md'), 'utf8');

suite('the documentation', () => {
  test('has only relative links that lead to a file, and to a heading in it', () => {
    const broken = pages.flatMap((page) =>
      linksIn(page)
        .filter((link) => !resolves(page, link))
        .map(named(page)),
    );
    assert.deepEqual(broken, []);
  });

  test('names only source files and folders that exist', () => {
    const missing = pages.flatMap((page) =>
      filesNamedIn(page)
        .filter((file) => !isThere(file))
        .map(named(page)),
    );
    assert.deepEqual(missing, []);
  });

  test('names only npm scripts that exist, and so do workflows', () => {
    const { scripts } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
    const unknown = [...pages, ...workflows].flatMap((page) => {
      const named = [...readFileSync(join(root, page), 'utf8').matchAll(/\bnpm run (?:-s )?([\w:]+)/g)];
      return named.filter(([, name = '']) => !(name in scripts)).map(([text]) => `${page}: ${text}`);
    });
    assert.deepEqual(unknown, []);
  });

  test('has examples in CONTRIBUTING.md that are in the source', () => {
    const sources = globSync('server/src/**/*.ts', { cwd: root }).map((file) => readFileSync(join(root, file), 'utf8'));
    const examples = readFileSync(join(root, 'CONTRIBUTING.md'), 'utf8').match(/(?<=^```ts\n).*?(?=^```)/gms) ?? [];
    assert.deepEqual(
      examples.filter((example) => !sources.some((source) => source.includes(example))),
      [],
    );
  });

  test('has every folder of the source in ARCHITECTURE.md', () => {
    const folders = foldersOf('server/src').map((name) => `${name}/`);
    const missing = [...folders, ...foldersOf('server/src/domain')].filter(
      (name) => !architecture.includes(`\`${name}\``),
    );
    assert.deepEqual(missing, []);
  });

  test('has an index that leads to every page', () => {
    const linked = linksIn('docs/README.md').map((link) => join('docs', link.split('#')[0] ?? ''));
    const decisions = linksIn('docs/decisions/README.md').map((link) => join('docs/decisions', link));
    const orphans = pages.filter((page) => page.startsWith('docs/') && ![...linked, ...decisions].includes(page));
    assert.deepEqual(orphans, ['docs/README.md']);
  });
});

test('a heading becomes the anchor that GitHub gives it', () => {
  assert.equal(anchorOf('Folders of `server/src`'), 'folders-of-serversrc');
  assert.equal(anchorOf('The archive’s key, and [why](../a.md)'), 'the-archives-key-and-why');
});

function linksIn(page: string): string[] {
  const links = [...proseOf(page).matchAll(/\]\(([^)\s]+)\)/g)].map(([, link = '']) => link);
  return links.filter((link) => !/^[a-z]+:/.test(link));
}

function resolves(page: string, link: string): boolean {
  const [path = '', anchor] = link.split('#');
  const target = path === '' ? page : join(dirname(page), path);
  if (!existsSync(join(root, target))) return false;
  return anchor === undefined || anchorsOf(target).includes(anchor);
}

/** With the numbers that GitHub adds to headings that repeat. */
function anchorsOf(page: string): string[] {
  const counts = new Map<string, number>();
  return [...proseOf(page).matchAll(/^#{1,6} (.+)$/gm)].map(([, heading = '']) => {
    const anchor = anchorOf(heading);
    const count = counts.get(anchor) ?? 0;
    counts.set(anchor, count + 1);
    return count === 0 ? anchor : `${anchor}-${count}`;
  });
}

function anchorOf(heading: string): string {
  const text = heading
    .replace(/\[([^\]]*)\]\([^)]*\)/g, '$1')
    .trim()
    .toLowerCase();
  return text.replace(/[^\p{L}\p{N}\s_-]/gu, '').replace(/\s/g, '-');
}

function filesNamedIn(page: string): string[] {
  const quoted = [...proseOf(page).matchAll(/`([^`\n]+)`/g)].map(([, text = '']) => text);
  return quoted.filter((text) => /^\w[\w./-]*(\.(ts|js|mjs|sql)|\/)$/.test(text));
}

function isThere(file: string): boolean {
  return bases.some((base) => existsSync(join(root, base, file)));
}

function foldersOf(path: string): string[] {
  const entries = readdirSync(join(root, path), { withFileTypes: true });
  return entries.filter((entry) => entry.isDirectory()).map(({ name }) => name);
}

/** Without blocks of code, where brackets and hashes mean something else. */
function proseOf(page: string): string {
  return readFileSync(join(root, page), 'utf8').replace(/^```.*?^```/gms, '');
}

function named(page: string) {
  return (what: string) => `${page}: ${what}`;
}
