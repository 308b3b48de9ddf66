import type { TObject, TProperties, TSchema } from 'typebox';
import { Type } from './type.ts';

export const pageSizeMax = 200;
export const waitSecondsMax = 30;

/**
 * The query of every search: the names that `pageInfo` repeats, then the noun's own filters. Each of the four has a
 * default, so it may be left out, and validation adds it, as the type says.
 */
export function PageQuery<Sort extends string, Filters extends TProperties>(sorts: readonly Sort[], filters: Filters) {
  const page = {
    page: Type.Integer({ minimum: 1, maximum: Number.MAX_SAFE_INTEGER, default: 1, description: 'Page number.' }),
    pageSize: Type.Integer({ minimum: 1, maximum: pageSizeMax, default: 25, description: 'Items per page.' }),
    sortBy: Type.Unsafe<Sort>({ type: 'string', enum: sorts, default: sorts[0], description: 'Sort field.' }),
    sortDirection: Type.Unsafe<'asc' | 'desc'>({
      type: 'string',
      enum: ['asc', 'desc'],
      default: 'asc',
      description: 'In either direction, ties are sorted by id, ascending, and unset values come last.',
    }),
  };
  const optional = Object.fromEntries(Object.entries(page).map(([name, each]) => [name, Type.Optional(each)]));
  return Type.Object({ ...optional, ...filters }) as unknown as TObject<typeof page & Filters>;
}

const cursorLengthMax = 200;
const exampleCursor = 'ZXZlbnRzIDEgNDIgaWpoR1JDaDI';

/** The query of every feed. Validation adds the page size. */
export const FeedQuery = {
  cursor: Type.Optional(
    Type.String({
      minLength: 1,
      maxLength: cursorLengthMax,
      description: 'The `cursor` of the response before. Left out: from the start of what is kept.',
      examples: [exampleCursor],
    }),
  ),
  pageSize: Type.Unsafe<number>(
    Type.Optional(
      Type.Integer({ minimum: 1, maximum: pageSizeMax, default: 100, description: 'Items per response, at most.' }),
    ),
  ),
};

/** Its example has the item's. */
export function FeedOf<Item extends TSchema>(item: Item, title: string) {
  const { examples: data = [] } = item as { examples?: unknown[] };
  return Type.Object(
    {
      data: Type.Array(item),
      cursor: Type.String({ description: 'For the next request. It is there even if `data` is empty.' }),
      more: Type.Boolean({ description: 'Whether there is more already.' }),
    },
    { title, examples: [{ data, cursor: exampleCursor, more: false }] },
  );
}

/** Its example has the item's, in the order that is the default. */
export function PageOf<Item extends TObject>(
  item: Item,
  sorts: readonly string[],
  title: string,
  sortDirection: 'asc' | 'desc' = 'asc',
) {
  const { examples: data } = item as { examples?: unknown[] };
  const pageInfo = { page: 1, pageSize: 25, totalRecord: 1, sortDirection, sortBy: sorts[0] };
  return Type.Object(
    {
      data: Type.Array(item),
      pageInfo: Type.Object({
        page: Type.Integer(),
        pageSize: Type.Integer(),
        totalRecord: Type.Integer({ description: 'Number of items on all pages together.' }),
        sortDirection: Type.Unsafe<'asc' | 'desc'>({ type: 'string', enum: ['asc', 'desc'] }),
        sortBy: Type.Unsafe<string>({ type: 'string', enum: sorts }),
      }),
    },
    { title, ...(data ? { examples: [{ data, pageInfo }] } : {}) },
  );
}
