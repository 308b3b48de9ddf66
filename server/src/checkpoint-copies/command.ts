import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process';
import { once } from 'node:events';
import { setTimeout as pause } from 'node:timers/promises';
import type { CheckpointDeliveries } from '../domain/archive/checkpoint-deliveries.ts';
import { within } from './deadlines.ts';

type Options = {
  /** The node is about to stop: nobody should wait for the command any longer. */
  until?: AbortSignal;
  timeoutMs?: number;
};

const timeoutMsDefault = 30_000;
/** For what it said last, which may come after its end. */
const lastWordsMs = 200;
const lineCharactersMax = 200;
/** As services have it, whoever started this one. */
const searchPath = '/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin';

/** A command of the operator's that gets the checkpoint on its stdin, and nothing of ours in its environment. */
export function checkpointCommand(
  command: string,
  options: Options = {},
): NonNullable<CheckpointDeliveries['command']> {
  const { until, timeoutMs = timeoutMsDefault } = options;
  return async (note, size) => {
    const deadline = within(timeoutMs, until);
    const child = spawn('/bin/sh', ['-c', command], {
      env: { PATH: searchPath, CHECKPOINT_SIZE: String(size) },
      // A group of its own, so that all that it starts can be ended with it.
      detached: true,
    });
    const lastLine = follow(child);
    const closed = once(child, 'close').catch(() => {});
    // Whether it reads the note is up to the command.
    child.stdin.on('error', () => {}).end(note);
    try {
      const fault = await faultOf(child, deadline);
      if (!fault) return;
      await Promise.race([closed, pause(lastWordsMs)]);
      throw new Error(`The command ${fault}${lastLine()}`);
    } finally {
      // What it leaves running in the background may keep these open for as long as it likes.
      child.stdout.destroy();
      child.stderr.destroy();
    }
  };
}

function follow(child: ChildProcessWithoutNullStreams): () => string {
  let end = '';
  for (const stream of [child.stdout, child.stderr])
    stream
      .setEncoding('utf8')
      .on('data', (text: string) => {
        end = `${end}${text}`.slice(-2 * lineCharactersMax);
      })
      .on('error', () => {});
  return () => {
    const line = end
      .trimEnd()
      .split('\n')
      .at(-1)
      ?.replace(/\p{Cc}/gu, ' ')
      .trim()
      .slice(0, lineCharactersMax);
    return line ? `: ${line}` : '.';
  };
}

async function faultOf(child: ChildProcessWithoutNullStreams, deadline: AbortSignal): Promise<string | null> {
  try {
    const [code, signal] = await once(child, 'exit', { signal: deadline });
    return code === 0 ? null : `ended with ${code ?? signal}`;
  } catch (error) {
    if (!deadline.aborted) throw error;
    endGroup(child);
    return 'was not done in time';
  }
}

function endGroup({ pid }: ChildProcessWithoutNullStreams): void {
  try {
    if (pid) process.kill(-pid, 'SIGKILL');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error;
  }
}
