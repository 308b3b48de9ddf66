// Installs the packages of package-lock.json if they aren't there, on any version of Node. npm keeps a list of what it has
// installed in node_modules: to compare the two takes milliseconds, and `npm ci` ten seconds.
//
//   node scripts/install.js          for everything, with the development tools
//   node scripts/install.js start    for the server: `npm ci --omit=dev` has installed enough
//   node scripts/install.js assent   for a command, which a server may be running beside: `npm ci` deletes all packages first,
//                                    so it is only run where there are none
import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

/**
 * @typedef {{ version?: string, integrity?: string, dev?: boolean, devOptional?: boolean, optional?: boolean,
 *   os?: string | string[], cpu?: string | string[], libc?: string[] }} Package a row of package-lock.json
 */

const root = fileURLToPath(new URL('..', import.meta.url));
const caller = process.argv[2];

if (!isInstalled()) {
  if (caller === 'assent' && existsSync(`${root}node_modules`)) {
    fail(
      'The packages in node_modules are not those of package-lock.json. Stop the server, if one runs here, and run `npm ci`.',
    );
  }
  process.stderr.write('Installing the packages in package-lock.json …\n');
  // Output goes to stderr, so that a command that prints a value (`assent token`) has a clean stdout on a first run.
  // Development tools are installed even if NODE_ENV is production, because `npm test` needs them.
  const npm = spawnSync('npm', ['ci', '--include=dev', '--include=optional', '--loglevel=error'], {
    cwd: root,
    stdio: ['ignore', 2, 2],
  });
  if (npm.status !== 0) fail('npm ci failed; see its output above.');
}

function isInstalled() {
  const installed = packagesIn('node_modules/.package-lock.json');
  return Object.entries(packagesIn('package-lock.json'))
    .filter(([path, wanted]) => path.includes('node_modules/') && isNeeded(wanted))
    .every(([path, { version, integrity }]) => {
      const found = installed[path];
      return found && found.version === version && found.integrity === integrity && existsSync(root + path);
    });
}

/**
 * Optional packages are those of one platform each. npm decides between C libraries.
 * @param {Package} wanted
 */
function isNeeded({ dev, devOptional, optional, os, cpu, libc }) {
  if (caller && (dev || devOptional)) return false;
  return !optional || (!libc && includes(os, process.platform) && includes(cpu, process.arch));
}

/** @type {(names: string | string[] | undefined, name: string) => boolean} */
function includes(names, name) {
  return names === undefined || [names].flat().includes(name);
}

/** @type {(path: string) => Record<string, Package>} */
function packagesIn(path) {
  try {
    return JSON.parse(readFileSync(root + path, 'utf8')).packages;
  } catch {
    return {};
  }
}

/** @type {(why: string) => never} */
function fail(why) {
  process.stderr.write(`${why}\n`);
  process.exit(1);
}
