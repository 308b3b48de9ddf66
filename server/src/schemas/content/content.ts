import type { TSchema } from 'typebox';
import {
  type ContentStatus,
  type ContentType,
  contentSorts,
  contentStatuses,
  contentTypes,
} from '../../domain/content/content.ts';
import { PageOf, pageSizeMax } from '../shared/paging.ts';
import { stringLengthMax } from '../shared/strings.ts';
import { Type } from '../shared/type.ts';

/** In code points, like every length. */
const searchTextLengthMax = 150;
const urlLengthMax = 2_000;
const summaryLengthMax = 2_000;
const keywordLengthMax = 100;
const keywordsMax = 50;

/** A field with a default may be left out; after validation it is always there. */
const withDefault = <Schema extends TSchema>(schema: Schema) => Type.Optional(schema) as unknown as Schema;

/** An item from an operator's file or feed. */
export const ContentInput = Type.Object(
  {
    type: Type.Unsafe<ContentType>({ type: 'string', enum: contentTypes }),
    title: Type.String({ 'x-trim': true, minLength: 1, maxLength: stringLengthMax }),
    url: Type.String({ 'x-format': 'web-address', maxLength: urlLengthMax }),
    summary: Type.Optional(Type.Unsafe<string | null>({ type: ['string', 'null'], maxLength: summaryLengthMax })),
    keywords: withDefault(
      Type.Array(Type.String({ maxLength: keywordLengthMax }), { maxItems: keywordsMax, default: [] }),
    ),
    status: withDefault(Type.Unsafe<ContentStatus>({ type: 'string', enum: contentStatuses, default: 'published' })),
    dateTimePublished: Type.Optional(Type.Unsafe<string | null>({ type: ['string', 'null'], format: 'date-time' })),
  },
  { title: 'Content input' },
);

const SearchText = (annotation: object) =>
  Type.Optional(Type.String({ 'x-free-text': true, maxLength: searchTextLengthMax, ...annotation }));

export const ContentQuery = Type.Object({
  contentType: withDefault(
    Type.Unsafe<ContentType | 'All'>({
      type: 'string',
      enum: ['All', ...contentTypes],
      default: 'All',
      description: 'The type of item.',
    }),
  ),
  searchText: SearchText({
    description:
      'Words to search for, in any case and with any accents. Beginnings of words and small misspellings match too. Finds items with all of the words, or if there are none, with any of them. Only the first four words count, without words like “the”.',
    examples: ['social security'],
  }),
  search: SearchText({ description: 'The same as `searchText`. If both are given, they must be equal.' }),
  page: withDefault(
    Type.Integer({ minimum: 1, maximum: Number.MAX_SAFE_INTEGER, default: 1, description: 'Page number.' }),
  ),
  pageSize: withDefault(
    Type.Integer({ minimum: 1, maximum: pageSizeMax, default: 25, description: 'Items per page.' }),
  ),
  sortBy: Type.Optional(
    Type.Unsafe<(typeof contentSorts)[number]>({
      type: 'string',
      enum: contentSorts,
      description: 'Optional: `relevance` with text, `title` without. Other values are refused.',
    }),
  ),
  sortDirection: Type.Optional(
    Type.Unsafe<'asc' | 'desc'>({
      type: 'string',
      enum: ['asc', 'desc'],
      description: 'Optional: `desc` with text, `asc` without. Other values are refused.',
    }),
  ),
});

export const ContentItem = Type.Object(
  { title: Type.String({ minLength: 1 }), url: Type.String({ minLength: 1 }) },
  {
    title: 'Content item',
    examples: [
      {
        title: 'When should you claim Social Security?',
        url: 'https://library.sandbox.example/articles/social-security-when-to-claim',
      },
    ],
  },
);

export const ContentPage = PageOf(ContentItem, contentSorts, 'Page of content', 'desc');
