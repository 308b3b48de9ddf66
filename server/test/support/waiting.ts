import { setTimeout as pause } from 'node:timers/promises';

const pollMs = 20;
/** For conditions that take a whole command to check. */
export const commandPollMs = 200;

/** Waits until a condition is true; on a timeout the error names it. */
export async function until(
  what: string,
  isTrue: () => Promise<boolean> | boolean,
  withinMs = 10_000,
  everyMs = pollMs,
): Promise<void> {
  for (const deadline = Date.now() + withinMs; !(await isTrue()); await pause(everyMs))
    if (Date.now() > deadline) throw new Error(`Waited ${withinMs} ms, but this never happened: ${what}.`);
}
