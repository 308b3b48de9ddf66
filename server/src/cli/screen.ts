import { setTimeout as pause } from 'node:timers/promises';
import type { Call } from './verb.ts';

/** Nodes write what it shows every three seconds. */
const refreshMs = 1_000;
/** Beside the person's own screen, which comes back as it was, and without a cursor. */
const enter = '\x1b[?1049h\x1b[?25l';
const leave = '\x1b[?25h\x1b[?1049l';
const [home, restOfLine, restOfScreen] = ['\x1b[H', '\x1b[K', '\x1b[J'];

/** In a terminal it is drawn again every second until Ctrl-C; elsewhere, or with --once, it is printed once. */
export async function showScreen(
  { switches, streams: { stdout }, out, until }: Call,
  read: () => Promise<string>,
): Promise<void> {
  if (!stdout.isTTY || switches.has('once')) return out.line(await read());
  stdout.write(enter);
  try {
    while (!until.aborted) {
      const lines = fitting((await read()).split('\n'), stdout.rows);
      // Drawn over the last one, without a blank moment between them.
      stdout.write(`${home}${lines.map((line) => `${line}${restOfLine}`).join('\n')}${restOfScreen}`);
      await pause(refreshMs, undefined, { signal: until }).catch(() => {});
    }
  } finally {
    stdout.write(leave);
  }
}

/** A line too many would scroll the first one away. */
function fitting(lines: string[], rows = Number.POSITIVE_INFINITY): string[] {
  if (lines.length <= rows) return lines;
  return [
    ...lines.slice(0, rows - 1),
    `… ${lines.length - rows + 1} more lines: make the window taller, or use --once.`,
  ];
}
