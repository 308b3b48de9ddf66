import { setTimeout as pause } from 'node:timers/promises';

const firstPauseMs = 100;
const pauseMsMax = 5_000;

type Kept<End> = {
  /** Resolves when what runs first has ended. */
  first: Promise<End>;
  /** Starts another one and resolves when that has ended. It calls `ready` once it runs. */
  again(ready: () => void): Promise<End>;
  /** Before the pause. */
  onEnd(end: End): void;
  stopping: AbortSignal;
};

/** Replaces what ended, until it is to stop. While replacements don't get ready, the pauses grow. */
export async function keepRunning<End>({ first, again, onEnd, stopping }: Kept<End>): Promise<void> {
  let ended = first;
  for (let pauseMs = firstPauseMs; ; pauseMs = Math.min(pauseMs * 2, pauseMsMax)) {
    const end = await ended;
    if (stopping.aborted) return;
    onEnd(end);
    await pause(pauseMs, undefined, { signal: stopping }).catch(() => {});
    if (stopping.aborted) return;
    ended = again(() => {
      pauseMs = firstPauseMs;
    });
  }
}
