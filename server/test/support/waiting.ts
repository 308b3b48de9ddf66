import { setTimeout as pause } from 'node:timers/promises';

const pollMs = 20;
/** For a question that takes a whole command to answer. */
export const commandPollMs = 200;

/** Waits for something to become true; a test that waits in vain says for what. */
export async function until(
  what: string,
  isTrue: () => Promise<boolean> | boolean,
  withinMs = 10_000,
  everyMs = pollMs,
): Promise<void> {
  for (const deadline = Date.now() + withinMs; !(await isTrue()); await pause(everyMs))
    if (Date.now() > deadline) throw new Error(`Waited ${withinMs} ms in vain: ${what}.`);
}
