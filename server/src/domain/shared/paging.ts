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
