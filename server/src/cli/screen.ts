import { setTimeout as pause } from 'node:timers/promises';
import type { Call } from './verb.ts';

/** Nodes write what it shows every three seconds. */
const refreshMs = 1_000;
const clearScreen = '\x1b[2J\x1b[H';

/** In a terminal it is drawn again every second until Ctrl-C; elsewhere, or with --once, it is printed once. */
export async function showScreen(
  { switches, streams: { stdout }, out, until }: Call,
  read: () => Promise<string>,
): Promise<void> {
  if (!stdout.isTTY || switches.has('once')) return out.line(await read());
  while (!until.aborted) {
    stdout.write(`${clearScreen}${await read()}\n`);
    await pause(refreshMs, undefined, { signal: until }).catch(() => {});
  }
}
