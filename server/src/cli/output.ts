import { inOneLine, safeJson } from './terminal.ts';
import type { Output, Streams } from './verb.ts';

const barWidth = 30;
const paintMs = 100;
const clearLine = '\r\x1b[K';

export function makeOutput({ stdout, stderr }: Streams, json: boolean): Output {
  let paintedAtMs = 0;
  let isPainted = false;
  /** Text replaces the progress bar, which comes back below it. */
  const clear = () => {
    if (isPainted) stderr.write(clearLine);
    isPainted = false;
  };
  return {
    exitCode: 0,
    line(text) {
      clear();
      stdout.write(`${text}\n`);
    },
    records(rows) {
      clear();
      stdout.write(json ? `${safeJson(rows, 2)}\n` : table(rows));
    },
    note(text) {
      clear();
      stderr.write(`${text}\n`);
    },
    progress(label, done, total) {
      const goesOn = total === null || done < total;
      if (!stderr.isTTY || (goesOn && Date.now() - paintedAtMs < paintMs)) return;
      paintedAtMs = Date.now();
      stderr.write(`\r${bar(label, done, total)}${goesOn ? '' : '\n'}`);
      isPainted = goesOn;
    },
  };
}

function bar(label: string, done: number, total: number | null): string {
  if (total === null) return `${label} ${done.toLocaleString('en-US')}`;
  const share = total > 0 ? Math.min(1, done / total) : 1;
  const full = Math.round(share * barWidth);
  return `${label} ${'█'.repeat(full)}${'░'.repeat(barWidth - full)} ${String(Math.floor(share * 100)).padStart(3)} %`;
}

function table(rows: Record<string, unknown>[]): string {
  const [first] = rows;
  if (!first) return 'none\n';
  const names = Object.keys(first);
  const lines = [names, ...rows.map((row) => names.map((name) => cell(row[name])))];
  const widths = names.map((_, column) => Math.max(...lines.map((line) => line[column]?.length ?? 0)));
  return lines
    .map(
      (line) =>
        `${line
          .map((text, column) => text.padEnd(widths[column] ?? 0))
          .join('  ')
          .trimEnd()}\n`,
    )
    .join('');
}

function cell(value: unknown): string {
  if (value === null || value === undefined) return '–';
  if (value instanceof Date) return value.toISOString();
  if (Array.isArray(value)) return inOneLine(value.join(' '));
  if (typeof value === 'boolean') return value ? 'yes' : 'no';
  return inOneLine(String(value));
}
