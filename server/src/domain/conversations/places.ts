import { invalid } from '../problems.ts';

/** A place in a list, which the app hands back to go on from there. It grants nothing: everybody sees only their own lists. */
export function tokenOf(dateTime: Date, id: number): string {
  return `${dateTime.getTime()}-${id}`;
}

export function placeOf(token: string): { dateTime: Date; id: number } {
  const [, dateTime, id] = /^(\d{1,15})-(\d{1,15})$/.exec(token) ?? [];
  if (dateTime === undefined)
    throw invalid([{ path: '/before', rule: 'known', message: 'before is not a cursor that this list gave.' }]);
  return { dateTime: new Date(Number(dateTime)), id: Number(id) };
}
