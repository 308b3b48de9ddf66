import { invalid } from '../problems.ts';

export type PageRequest<Sort extends string> = {
  page: number;
  pageSize: number;
  sortBy: Sort;
  sortDirection: 'asc' | 'desc';
};

export type Page<Item, Sort extends string = string> = {
  data: Item[];
  pageInfo: PageRequest<Sort> & { totalRecord: number };
};

/** The page in the form that the store needs. A page number may be as large as an id, so the offset needs over 53 bits. */
export function rowsOf<Sort extends string>({ page, pageSize, sortBy, sortDirection }: PageRequest<Sort>) {
  return {
    sortBy,
    descending: sortDirection === 'desc',
    offset: (BigInt(page) - 1n) * BigInt(pageSize),
    limit: pageSize,
  };
}

export function pageOf<Item, Sort extends string>(
  { page, pageSize, sortBy, sortDirection }: PageRequest<Sort>,
  totalRecord: number,
  data: Item[],
): Page<Item, Sort> {
  return { data, pageInfo: { page, pageSize, totalRecord, sortDirection, sortBy } };
}

/** The rows that are shown of those read, which are one more if there are more. Then `last` is where to go on. */
export function cutTo<Row>(limit: number, rows: Row[]): { page: Row[]; last: Row | undefined } {
  const page = rows.slice(0, limit);
  return { page, last: rows.length > limit ? page.at(-1) : undefined };
}

/** A place in a list of our own pages, which they hand back to go on from there. It grants nothing: everybody sees only their own lists. */
export function cursorOf(dateTime: Date, ...numbers: number[]): string {
  return [dateTime.getTime(), ...numbers].join('-');
}

export function placeIn<Name extends string>(field: string, cursor: string, names: Name[]) {
  const [time, ...numbers] = cursor.split('-');
  if (!/^\d{1,15}(-\d{1,15})*$/.test(cursor) || numbers.length !== names.length)
    throw invalid([{ path: `/${field}`, rule: 'known', message: `${field} is not a cursor that this list gave.` }]);
  const place = Object.fromEntries(names.map((name, at) => [name, Number(numbers[at])]));
  return { dateTime: new Date(Number(time)), ...(place as Record<Name, number>) };
}
