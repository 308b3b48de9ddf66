import type { Findings } from './judge.ts';
import { calm, type Ledger, requestsIn } from './ledger.ts';
import type { NodesRun, Row } from './nodes.ts';

/** One line for each kind of fault, and one for all. */
export function table({ rows, ledger, verdict, seconds }: NodesRun): string[] {
  const head = [
    'fault',
    'runs',
    'requests',
    'failed',
    'slowest s',
    'accepted',
    'out',
    'in doubt',
    'not sent',
    'lost',
    'doubled',
    'without consent',
    'recovered in s, median',
    'most',
  ];
  const all = {
    fault: 'all',
    runs: sum(rows.map(({ runs }) => runs)),
    kills: 0,
    recoverMs: rows.flatMap((row) => row.recoverMs),
  };
  const lines = [
    ...[...rows, { fault: calm, runs: 0, kills: 0, recoverMs: [] }].map((row) =>
      cells(row, ledger, verdict.of(row.fault), row.fault),
    ),
    cells(all, ledger, verdict.all, undefined),
  ];
  const widths = head.map((name, column) => Math.max(name.length, ...lines.map((line) => line[column]?.length ?? 0)));
  const kills = sum(rows.map((row) => row.kills));
  return [
    ...[head, ...lines].map((line) =>
      line
        .map((cell, column) => (column === 0 ? cell.padEnd(widths[column] ?? 0) : cell.padStart(widths[column] ?? 0)))
        .join('  '),
    ),
    `${kills} processes killed, in ${Math.round(seconds)} s`,
    'Answers: a status, or none and why:',
    ...[...ledger.answers].map(
      ([fault, answers]) =>
        `  ${fault}: ${[...answers].map(([answered, count]) => `${answered} × ${count}`).join(', ')}`,
    ),
  ];
}

function cells({ fault, runs, recoverMs }: Row, ledger: Ledger, found: Findings, of: string | undefined): string[] {
  const { requests, failed } = requestsIn(ledger, of);
  const sorted = recoverMs.toSorted((a, b) => a - b);
  const inSeconds = (ms: number | undefined) => (ms === undefined ? '' : (ms / 1000).toFixed(1));
  const slowestMs = of === undefined ? Math.max(...ledger.slowestMs.values()) : ledger.slowestMs.get(of);
  const counts = [found.accepted + found.acceptedUnanswered, found.onHandset, found.inDoubt, found.failed];
  const broken = [found.lost, found.doubled, found.withoutConsent].map(({ length }) => length);
  return [
    fault,
    ...[runs, requests, failed].map(grouped),
    inSeconds(slowestMs),
    ...[...counts, ...broken].map(grouped),
    inSeconds(sorted[Math.floor(sorted.length / 2)]),
    inSeconds(sorted.at(-1)),
  ];
}

function grouped(count: number): string {
  return count.toLocaleString('en-US');
}

function sum(numbers: number[]): number {
  return numbers.reduce((total, each) => total + each, 0);
}
