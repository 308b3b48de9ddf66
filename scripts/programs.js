// What the scripts of package.json run: on the Node.js of the lock file, by its path, because a shell may remember an older one from before
// `npm ci`. This file and those that it loads run on any Node from 20 on.
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { install } from './install.js';
import { endAs, ended, launch, lockedNode, passSignalsOn } from './launch.js';
import { serve, serveAndRestart } from './start.js';

/** @typedef {{ needs: import('./install.js').Needs, run: (args: string[]) => Promise<import('./launch.js').End> }} Program */

const root = fileURLToPath(new URL('..', import.meta.url));

/** @type {Record<string, Program>} */
const programs = {
  start: { needs: 'server', run: serve },
  dev: { needs: 'everything', run: serveAndRestart },
  build: script('scripts/build-web.ts'),
  /** What `npm pack --workspace server` begins with. */
  prepack: script('server/build.ts'),
  assent: { needs: 'command', run: (args) => ended(launch(join(root, 'server/bin/assent'), args)) },
  check: script('scripts/test.ts', '--fast'),
  test: script('scripts/test.ts'),
  'test:all': script('scripts/test.ts', '--all'),
  'test:fast': script('scripts/test.ts', '--fast', '--no-checks'),
  'test:client': script('sdk/test/run.ts', '--runtimes'),
  'test:setup': script('scripts/test-setup.ts'),
  'test:faults': script('scripts/deliberate-faults.ts'),
  typecheck: script('scripts/checks.ts', 'types'),
  lint: script('scripts/checks.ts', 'lint'),
  format: script('node_modules/@biomejs/biome/bin/biome', 'check', '--write', '.'),
  generate: script('scripts/generate.ts'),
  faces: script('faces/faces.ts'),
  walk: script('faces/walk.ts'),
  bench: script('server/bench/main.ts'),
  fuzz: script('server/fuzz/main.ts'),
  faults: script('server/faults/main.ts'),
  soak: script('server/faults/soak.ts'),
  citus: script('scripts/citus.ts'),
};

/** @type {(name: string, args: string[]) => Promise<void>} */
export async function run(name, args) {
  passSignalsOn();
  const program = programs[name];
  try {
    if (!program) throw new Error(`There is no script ${name}: it is one of ${Object.keys(programs).join(', ')}.`);
    await install(program.needs);
    endAs(await program.run(args));
  } catch (error) {
    process.stderr.write(`${/** @type {Error} */ (error).message}\n`);
    endAs(1);
  }
}

/** @type {(file: string, ...given: string[]) => Program} */
function script(file, ...given) {
  const run = (/** @type {string[]} */ args) => ended(launch(lockedNode(), [join(root, file), ...given, ...args]));
  return { needs: 'everything', run };
}
