// What `npm start` and `npm run dev` do: the server, and beside it the build of the pages that need one, if what they are made of has
// changed since.
import { mkdirSync, readFileSync, rmSync, watch, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { ended, launch, lockedNode, stopped } from './launch.js';

/** @typedef {import('./launch.js').End} End */

const root = fileURLToPath(new URL('..', import.meta.url));
const dataDir = resolve(root, process.env.ASSENT_DATA_DIR || '.assent');
/** What became of the build, for the pages and `assent doctor`: domain/operations/web-build.ts reads it. */
const buildFile = join(dataDir, 'web-build.json');
const sources = ['server/src', 'server/migrations'];
const settlesMs = 100;

/** @type {(args: string[]) => Promise<End>} */
export function serve(args) {
  void buildPages();
  return ended(launchServer(args));
}

/**
 * Until it is told to stop: again after each change of a source, also where it ended by itself.
 * @type {(args: string[]) => Promise<End>}
 */
export async function serveAndRestart(args) {
  void buildPages();
  for (;;) {
    // Before it starts: what changes while it does isn't missed.
    const change = nextChange();
    const server = launchServer(args);
    const end = ended(server);
    const first = await Promise.race([end, change]);
    if (stopped.aborted) return end;
    if (first !== 'changed') say(`The server ended (${first}). It starts again when a source changes.`);
    else server.kill('SIGTERM');
    await Promise.all([end, change]);
    if (stopped.aborted) return end;
    say('A source has changed: starting again.');
  }
}

/** @param {string[]} args */
function launchServer(args) {
  // It has the settings that a server needs, and finds the Node.js of the lock file by its path.
  const env = { ...process.env, ASSENT_STARTED_BY_SCRIPT: 'yes' };
  return launch(join(root, 'server/bin/assent'), ['serve', ...args], { env });
}

/** @type {() => Promise<'changed' | 'stopped'>} */
async function nextChange() {
  /** @type {'changed' | 'stopped'} */
  const why = await new Promise((resolve) => {
    const watchers = sources.map((folder) => watch(join(root, folder), { recursive: true }, () => done('changed')));
    const done = (/** @type {'changed' | 'stopped'} */ why) => {
      for (const watcher of watchers) watcher.close();
      resolve(why);
    };
    stopped.addEventListener('abort', () => done('stopped'), { once: true });
  });
  // An editor may write several files.
  if (why === 'changed') await pause(settlesMs);
  return why;
}

async function buildPages() {
  let why = '';
  try {
    const build = launch(lockedNode(), [join(root, 'scripts/build-web.ts')], {
      stdio: ['ignore', 'inherit', 'pipe'],
    });
    build.stderr?.setEncoding('utf8').on('data', (text) => {
      why += text;
    });
    // A server that finds its data folder in use ends, and this build with it: the other’s note stays.
    if (!isBeingBuilt()) note({ building: build.pid });
    const end = await ended(build);
    if (end === 0) return rmSync(buildFile, { force: true });
    if (typeof end === 'string') why ||= `its process was ended by ${end}`;
  } catch (error) {
    why = /** @type {Error} */ (error).message;
  }
  if (stopped.aborted) return;
  why = why.trim();
  note({ failed: why });
  say(`The pages /app, /console and /demonstration could not be built: ${why}
Fix that, and start again. The API, its guides and the sandbox’s phones work without them.`);
}

function isBeingBuilt() {
  try {
    return process.kill(JSON.parse(readFileSync(buildFile, 'utf8')).building, 0);
  } catch {
    return false;
  }
}

/**
 * The server says what is wrong with the data folder.
 * @param {object} state
 */
function note(state) {
  try {
    mkdirSync(dataDir, { recursive: true, mode: 0o700 });
    writeFileSync(buildFile, JSON.stringify(state));
  } catch {}
}

/** @param {string} line */
function say(line) {
  process.stderr.write(`${line}\n`);
}
