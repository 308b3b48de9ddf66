import type { Deps } from '../../deps.ts';
import { disposedBy } from '../../examiner/verify.mjs';
import { listDisposals as listRows } from '../../store/record-keeping/retention.ts';

/** Which bodies were disposed of, according to entries about disposals. Bodies that were too young don't count. */
export type Disposals = {
  has(entry: { advisorId: number; number: number; dateTime?: string }): boolean;
};

/** A range of entry numbers, including both ends. */
export type NumberRange = [from: number, to: number];

type Disposed = ReturnType<typeof disposedBy>[number];

const rowsMax = 1_000;

export async function listDisposals(deps: Deps): Promise<Disposals> {
  const disposed = new Map<number, Disposed[]>();
  for (let after = { advisorId: -1, number: 0 }; ; ) {
    const rows = await listRows(deps.db, after, rowsMax);
    for (const row of rows) {
      const known = disposed.get(row.advisorId) ?? [];
      disposed.set(row.advisorId, known);
      for (const each of disposedBy({ ...row, kind: 'disposal' }, row.body)) known.push(each);
    }
    after = rows.at(-1) ?? after;
    if (rows.length < rowsMax) break;
  }
  // After a hold is lifted, lower numbers can come after higher ones.
  for (const each of disposed.values()) each.sort((a, b) => a.from - b.from);
  return {
    has({ advisorId, number, dateTime }) {
      const found = lastFrom(disposed.get(advisorId) ?? [], number);
      if (!found || number > found.to) return false;
      return dateTime === undefined || Date.parse(dateTime) <= found.youngestMs;
    },
  };
}

/** Ascending numbers as ranges. */
export function rangesOf(numbers: number[]): NumberRange[] {
  const ranges: NumberRange[] = [];
  for (const number of numbers) {
    const last = ranges.at(-1);
    if (last && last[1] === number - 1) last[1] = number;
    else ranges.push([number, number]);
  }
  return ranges;
}

/** The last range that begins at the number or before it. */
function lastFrom(ranges: Disposed[], number: number): Disposed | undefined {
  let low = 0;
  let high = ranges.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((ranges[middle]?.from ?? Infinity) <= number) low = middle + 1;
    else high = middle;
  }
  return ranges[low - 1];
}
