// Everything that must hold. `npm test` runs it all; `npm test FILE…` runs those test files alone.
import { spawnSync } from 'node:child_process';
import { globSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

process.chdir(fileURLToPath(new URL('..', import.meta.url)));
const named = process.argv.slice(2);
const files = named.length > 0 ? named : globSync('server/test/**/*.test.ts').sort();

if (named.length === 0) {
  run('types', ['node_modules/typescript/bin/tsc', '--project', 'server']);
  run('types of what runs in browsers', [
    'node_modules/typescript/bin/tsc',
    '--project',
    'server/tsconfig.browser.json',
  ]);
  run('lint, format and arrows', ['node_modules/@biomejs/biome/bin/biome', 'ci', '--error-on-warnings', '.']);
  run('generated files in step', ['scripts/generate.ts', '--check']);
  run('Debian packages for the tests', ['scripts/debian-packages.ts']);
}
run('tests', [
  '--test',
  '--test-concurrency=3',
  '--test-timeout=300000',
  '--test-global-setup=server/test/support/global-setup.ts',
  '--test-reporter=spec',
  ...files,
]);

function run(name: string, args: string[]): void {
  process.stdout.write(`\n── ${name}\n`);
  const { status } = spawnSync(process.execPath, args, { stdio: 'inherit' });
  if (status !== 0) {
    process.stderr.write(`\n${name}: failed\n`);
    process.exit(status ?? 1);
  }
}
