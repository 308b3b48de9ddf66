// Tests the client as its users get it: packed, and installed in an empty project. With --runtimes, what is in the package is judged by
// publint and Are The Types Wrong, and it runs not on this Node but on the oldest that it promises, and in Deno, Bun and workerd.
import { spawnSync } from 'node:child_process';
import { cpSync, globSync, mkdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { stripTypeScriptTypes } from 'node:module';
import { basename, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { optionsGiven } from '../../scripts/options.ts';

const sdk = fileURLToPath(new URL('..', import.meta.url));
/** Below the checkout, so that tests find the packages that only tests need. */
const project = join(sdk, '.packed');
const runtimes = join(sdk, 'test/runtimes');
/** They talk to a server of ours, which only the newest Node runs: `npm test` runs them. */
const withServer = ['examples.test.ts', 'sandbox.test.ts'];

const { values: options } = optionsGiven({ options: { runtimes: { type: 'boolean' } } });
const tarball = pack();
install(tarball);
const tests = copyTests();
process.stdout.write(`@assent/client: ${(statSync(tarball).size / 1024).toFixed(1)} kB packed\n`);
if (options.runtimes) inOtherRuntimes();
else run(process.execPath, ['--test', ...tests], true);

/** The oldest Node runs all of the tests, the others a short program. */
function inOtherRuntimes(): void {
  run('npm', ['ci', '--silent'], false, runtimes);
  judge();
  const [cpu, bunCpu, workerCpu] = process.arch === 'arm64' ? ['arm64', 'aarch64', 'arm64'] : ['x64', 'x64', '64'];
  const program = (path: string) => join(runtimes, 'node_modules', path);
  writeFileSync(join(project, 'smoke.mjs'), readFileSync(join(runtimes, 'smoke.mjs')));
  writeFileSync(
    join(project, 'main.mjs'),
    `import * as client from '@assent/client';\nimport { smoke } from './smoke.mjs';\nawait smoke(client);\n`,
  );
  const node = program(`node-linux-${cpu}/bin/node`);
  process.stdout.write(`The client on Node ${run(node, ['--version'])}`);
  run(node, ['--test', ...tests], true);
  run(program(`@deno/linux-${cpu}-glibc/deno`), ['run', '--allow-read', '--node-modules-dir=manual', 'main.mjs']);
  process.stdout.write('It runs in Deno.\n');
  run(program(`@oven/bun-linux-${bunCpu}/bin/bun`), ['main.mjs']);
  process.stdout.write('It runs in Bun.\n');
  writeWorker();
  run(program(`@cloudflare/workerd-linux-${workerCpu}/bin/workerd`), ['test', 'worker.capnp']);
  process.stdout.write('It runs in workerd.\n');
}

/** Whether Node, bundlers and TypeScript find what package.json promises. A suggestion is a failure, too. */
function judge(): void {
  const program = (name: string) => join(runtimes, 'node_modules/.bin', name);
  run(program('publint'), ['run', tarball, '--strict']);
  run(program('attw'), [tarball, '--profile', 'esm-only', '--no-emoji', '--no-color']);
  process.stdout.write('publint and Are The Types Wrong find nothing in the package.\n');
}

/** A worker names each of its modules. */
function writeWorker(): void {
  const dist = 'node_modules/@assent/client/dist';
  const files = ['smoke.mjs', 'worker.mjs', ...globSync(`${dist}/**/*.js`, { cwd: project })];
  const modules = files
    .toSorted((a) => (a === 'worker.mjs' ? -1 : 1))
    .map((file) => `(name = "${file}", esModule = embed "${file}")`);
  writeFileSync(
    join(project, 'worker.mjs'),
    `import * as client from './${dist}/index.js';\nimport { smoke } from './smoke.mjs';\nexport default { test: () => smoke(client) };\n`,
  );
  writeFileSync(
    join(project, 'worker.capnp'),
    `using Workerd = import "/workerd/workerd.capnp";
const config :Workerd.Config = (services = [(name = "main", worker = .worker)]);
const worker :Workerd.Worker = (compatibilityDate = "2025-01-01", modules = [${modules.join(', ')}]);
`,
  );
}

function pack(): string {
  rmSync(project, { recursive: true, force: true });
  mkdirSync(project);
  run('npm', ['pack', '--silent', '--workspace', 'sdk', '--pack-destination', project], false, join(sdk, '..'));
  return join(project, globSync('*.tgz', { cwd: project })[0] ?? '');
}

function install(tarball: string): void {
  writeFileSync(join(project, 'package.json'), JSON.stringify({ private: true, type: 'module' }));
  run('npm', ['install', '--silent', '--offline', '--no-audit', '--no-fund', tarball]);
}

/** As JavaScript: the oldest version runs no TypeScript. */
function copyTests(): string[] {
  cpSync(join(sdk, '../openapi.json'), join(project, 'openapi.json'));
  return globSync('test/*.test.ts', { cwd: sdk })
    .filter((file) => !withServer.includes(basename(file)))
    .map((file) => {
      const path = `${join(project, basename(file, '.ts'))}.mjs`;
      writeFileSync(path, stripTypeScriptTypes(readFileSync(join(sdk, file), 'utf8')));
      return path;
    });
}

function run(command: string, args: string[], isShown = false, cwd = project): string {
  const { status, stdout, stderr } = spawnSync(command, args, {
    cwd,
    encoding: 'utf8',
    stdio: isShown ? 'inherit' : 'pipe',
  });
  if (status !== 0) {
    process.stderr.write(`${command} ${args.join(' ')} failed.\n${stdout ?? ''}${stderr ?? ''}`);
    process.exit(1);
  }
  return stdout ?? '';
}
