export type Period = 'last7' | 'last30' | 'month' | 'lastMonth' | 'quarter' | 'custom';

export const periods: [Period, string][] = [
  ['last7', 'Last 7 days'],
  ['last30', 'Last 30 days'],
  ['month', 'This month'],
  ['lastMonth', 'Last month'],
  ['quarter', 'This quarter'],
  ['custom', 'Other days'],
];

/** Whole days in the reader's zone; today is part of them. */
export function range(period: Exclude<Period, 'custom'>, now: number): { from: number; until: number } {
  const today = new Date(now);
  const [year, month, day] = [today.getFullYear(), today.getMonth(), today.getDate()];
  const at = (month: number, day: number) => new Date(year, month, day).getTime();
  const until = at(month, day + 1);
  const quarter = month - (month % 3);
  const ranges: Record<typeof period, { from: number; until: number }> = {
    last7: { from: at(month, day - 6), until },
    last30: { from: at(month, day - 29), until },
    month: { from: at(month, 1), until },
    lastMonth: { from: at(month - 1, 1), until: at(month, 1) },
    quarter: { from: at(quarter, 1), until },
  };
  return ranges[period];
}

/** `40 s`, `12 min`, `5 h`, `3 d` */
export function took(seconds: number): string {
  if (seconds < 90) return `${Math.round(seconds)} s`;
  if (seconds < 90 * 60) return `${Math.round(seconds / 60)} min`;
  if (seconds < 48 * 3_600) return `${Math.round(seconds / 3_600)} h`;
  return `${Math.round(seconds / 86_400)} d`;
}
