import type { Static } from 'typebox';
import { contentOrder, searchContent } from '../../domain/content/content.ts';
import { invalid } from '../../domain/problems.ts';
import { ContentPage, ContentQuery } from '../../schemas/content/content.ts';
import { endpoint } from '../door/route.ts';

type Query = Static<typeof ContentQuery>;

export const search = endpoint({
  summary: 'Search content',
  description:
    'Items published for everyone and for the advisor’s firm. With a search text the best match comes first; otherwise they are sorted by title.',
  query: ContentQuery,
  response: ContentPage,
  problems: [],
  cost: 2,
  async handler(deps, advisorId, { query }) {
    const { contentType, page, pageSize } = query;
    const text = textOf(query);
    requireOrder(query, text);
    return searchContent(deps, advisorId, { contentType, text, page, pageSize });
  },
});

function textOf({ searchText, search }: Query): string | undefined {
  if (searchText !== undefined && search !== undefined && search !== searchText)
    throw invalid([
      {
        path: '/search',
        rule: 'agree',
        message: 'search is another name for searchText: if both are given, they must be equal.',
      },
    ]);
  return searchText ?? search;
}

/** The text determines the order. Asking for a different order is an error rather than ignored. */
function requireOrder(query: Query, text: string | undefined): void {
  const order = contentOrder(text);
  const broken = (['sortBy', 'sortDirection'] as const)
    .filter((name) => query[name] !== undefined && query[name] !== order[name])
    .map((name) => ({
      path: `/${name}`,
      rule: 'applies',
      message: `${order.sortBy === 'title' ? 'Without' : 'With'} a search text, ${name} can only be ${order[name]}.`,
    }));
  if (broken.length > 0) throw invalid(broken);
}
