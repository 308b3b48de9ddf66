import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process';
import { once } from 'node:events';
import { setTimeout as pause } from 'node:timers/promises';
import type { DeliverCheckpoint } from '../../domain/ports.ts';

type CommandOptions = {
  /** Aborted when the node is about to stop: then nobody waits for the command any longer. */
  until?: AbortSignal;
  timeoutMs?: number;
};

const timeoutMsDefault = 30_000;
/** How long to wait for its last output, which may come after it exits. */
const lastWordsMs = 200;
const lineCharactersMax = 200;
/** The usual one for services, no matter who started this one. */
const searchPath = '/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin';

/** Runs the operator's command with a message on stdin. Nothing of ours is in its environment but what is given. */
export async function runCommand(
  command: string,
  { stdin, env = {} }: { stdin: string; env?: Record<string, string> },
  { until, timeoutMs = timeoutMsDefault }: CommandOptions = {},
): Promise<void> {
  const deadline = AbortSignal.any([AbortSignal.timeout(timeoutMs), ...(until ? [until] : [])]);
  const child = spawn('/bin/sh', ['-c', command], {
    env: { PATH: searchPath, ...env },
    // In its own process group, so everything it starts can be killed with it.
    detached: true,
  });
  const lastLine = follow(child);
  const closed = once(child, 'close').catch(() => {});
  // The command doesn't have to read it.
  child.stdin.on('error', () => {}).end(stdin);
  try {
    const fault = await faultOf(child, deadline);
    if (!fault) return;
    await Promise.race([closed, pause(lastWordsMs)]);
    throw new Error(`The command ${fault}${lastLine()}`);
  } finally {
    // Processes that it leaves in the background may keep these open for as long as they like.
    child.stdout.destroy();
    child.stderr.destroy();
  }
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

/** Runs the operator's command with the checkpoint on stdin. */
export function checkpointCommand(command: string, options: CommandOptions = {}): DeliverCheckpoint {
  return (note, size) => runCommand(command, { stdin: note, env: { CHECKPOINT_SIZE: String(size) } }, options);
}
