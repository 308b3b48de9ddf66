import { setTimeout as pause } from 'node:timers/promises';

const pollMs = 20;
const pollMsMax = 200;
/** Only tells late from never: what is waited for takes a moment, but a busy machine may take many times as long. */
const waitMsMax = 60_000;
/** For conditions that take a whole command to check. */
export const commandPollMs = 200;

/**
 * Waits until a condition is true; on a timeout the error names it. Unless told how often to ask, it asks less often the
 * longer it waits: most questions go to a server that is busy with what is waited for.
 */
export async function until(
  what: string,
  isTrue: () => Promise<boolean> | boolean,
  withinMs = waitMsMax,
  everyMs?: number,
): Promise<void> {
  const beganAt = Date.now();
  while (!(await isTrue())) {
    const waitedMs = Date.now() - beganAt;
    if (waitedMs > withinMs) throw new Error(`Waited ${withinMs} ms, but this never happened: ${what}.`);
    await pause(everyMs ?? Math.min(pollMsMax, pollMs + waitedMs / 10));
  }
}
