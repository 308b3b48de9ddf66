// Installs the packages of package-lock.json if they aren't there, on any version of Node. npm keeps a list of what it has
// installed in node_modules: to compare the two takes milliseconds, and `npm ci` ten seconds.
import { accessSync, constants, existsSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { ended, launch, stopped } from './launch.js';

/**
 * What a script needs:
 *   everything  with the development tools
 *   server      what the server runs on: `npm ci --omit=dev` has installed enough
 *   command     the same, and a server may be running beside it: `npm ci` deletes all packages first, so it is only run where there are none
 * @typedef {'everything' | 'server' | 'command'} Needs
 *
 * @typedef {{ version?: string, integrity?: string, dev?: boolean, devOptional?: boolean, optional?: boolean,
 *   os?: string | string[], cpu?: string | string[], libc?: string[] }} Package a row of package-lock.json
 */

const root = fileURLToPath(new URL('..', import.meta.url));
/** What npm has installed, by itself. */
const installedList = 'node_modules/.package-lock.json';
const shownEveryMs = { terminal: 250, file: 10_000 };

/**
 * Throws a sentence if they can't be installed.
 * @param {Needs} needs
 */
export async function install(needs) {
  if (isInstalled(needs)) return;
  if (needs === 'command' && existsSync(`${root}node_modules`))
    throw new Error(
      'The packages in node_modules are not those of package-lock.json. Stop the server, if one runs here, and run `npm ci`.',
    );
  if (!canWrite())
    throw new Error(
      `Packages are missing, and you can't write to ${root}: run \`npm ci\` there as its owner, or clone it into a folder of your own.`,
    );
  const begun = Date.now();
  const stop = showProgress(begun);
  // Output goes to stderr, so that a command that prints a value (`assent token`) has a clean stdout on a first run.
  // Development tools are installed even if NODE_ENV is production, because `npm test` needs them.
  const npm = launch('npm', ['ci', '--include=dev', '--include=optional', '--loglevel=error', '--no-progress'], {
    cwd: root,
    stdio: ['ignore', 'ignore', 2],
  });
  const end = await ended(npm);
  stop();
  if (stopped.aborted) throw new Error('Stopped before the packages were installed: the next start installs them.');
  // npm 10, which comes with Node.js 20, may stop in the middle and end with 0. It writes the list last.
  if (end !== 0 || !existsSync(root + installedList)) throw new Error('npm ci failed; see its output above.');
  say(`Installed them in ${secondsSince(begun)} s.`);
}

/**
 * So that nobody takes it for hung: in a terminal one line that counts up, elsewhere a line now and then.
 * @param {number} begun
 */
function showProgress(begun) {
  const { isTTY } = process.stderr;
  const wanted = packagesHere();
  const show = () => {
    // npm makes all the folders first, and fills them as the packages come.
    const filled = wanted.filter(([path]) => existsSync(`${root}${path}/package.json`)).length;
    const line = `Installing packages: ${filled} of ${wanted.length}, ${secondsSince(begun)} s`;
    process.stderr.write(isTTY ? `\r${line}` : `${line}\n`);
  };
  say('Installing the packages in package-lock.json, usually within a minute …');
  const timer = setInterval(show, isTTY ? shownEveryMs.terminal : shownEveryMs.file);
  return () => {
    clearInterval(timer);
    if (isTTY) process.stderr.write('\r\x1b[K');
  };
}

/** @param {Needs} needs */
function isInstalled(needs) {
  const installed = packagesIn(installedList);
  return packagesHere()
    .filter(([, { dev, devOptional }]) => needs === 'everything' || !(dev || devOptional))
    .every(([path, { version, integrity }]) => {
      const found = installed[path];
      return found && found.version === version && found.integrity === integrity && existsSync(root + path);
    });
}

/** Those for this platform: optional packages are those of one platform each. npm decides between C libraries. */
function packagesHere() {
  return Object.entries(packagesIn('package-lock.json')).filter(
    ([path, { optional, os, cpu, libc }]) =>
      path.includes('node_modules/') &&
      (!optional || (!libc && includes(os, process.platform) && includes(cpu, process.arch))),
  );
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

function canWrite() {
  try {
    accessSync(root, constants.W_OK);
    return true;
  } catch {
    return false;
  }
}

/** @param {number} begun */
function secondsSince(begun) {
  return Math.round((Date.now() - begun) / 1000);
}

/** @param {string} line */
function say(line) {
  process.stderr.write(`${line}\n`);
}
