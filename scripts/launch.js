// Programs that end with this one: they get its signals, and none is left behind if npm is killed.
import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

/**
 * @typedef {import('node:child_process').ChildProcess} ChildProcess
 * @typedef {number | NodeJS.Signals} End an exit code, or the signal that ended it
 */

const parentPollMs = 500;
const modules = fileURLToPath(new URL('../node_modules/', import.meta.url));
/** @type {Set<ChildProcess>} */
const running = new Set();
const stopping = new AbortController();

/** Aborted once this program was told to stop. */
export const stopped = stopping.signal;

/** The Node.js of the lock file. The npm that comes with Node.js 20 may leave it out of .bin. */
export function lockedNode() {
  const packages = ['node-linux', 'node-bin-darwin', 'node-darwin'];
  const programs = packages.map((name) => `${modules}${name}-${process.arch}/bin/node`);
  return programs.find(existsSync) ?? `${modules}.bin/node`;
}

/** @type {(program: string, args: string[], options?: import('node:child_process').SpawnOptions) => ChildProcess} */
export function launch(program, args, options = {}) {
  const child = spawn(program, args, { stdio: 'inherit', ...options });
  running.add(child);
  for (const event of ['close', 'error']) child.once(event, () => running.delete(child));
  return child;
}

/** @type {(child: ChildProcess) => Promise<End>} */
export function ended(child) {
  return new Promise((resolve, reject) => {
    child.once('close', (code, signal) => resolve(code ?? signal ?? 1));
    child.once('error', reject);
  });
}

/** A kill -9 of npm doesn't reach its children, and where `sh` stays in between, no other signal does. */
export function passSignalsOn() {
  const pass = (/** @type {NodeJS.Signals} */ signal) => {
    stopping.abort();
    for (const child of running) child.kill(signal);
  };
  for (const signal of /** @type {const} */ (['SIGINT', 'SIGTERM', 'SIGHUP'])) process.on(signal, () => pass(signal));
  const parent = process.ppid;
  setInterval(() => process.ppid !== parent && pass('SIGTERM'), parentPollMs).unref();
}

/**
 * Ends this program as the one that it ran did.
 * @param {End} end
 */
export function endAs(end) {
  for (const child of running) child.kill('SIGTERM');
  if (typeof end === 'number') process.exit(end);
  process.removeAllListeners(end);
  process.kill(process.pid, end);
}
