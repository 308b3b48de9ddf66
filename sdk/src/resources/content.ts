import { Pages } from '../pages.ts';
import type { Transport } from '../transport.ts';
import type { CallOptions, ContentFilter, ContentItem, Page } from '../types.ts';

export class Content {
  readonly #transport: Transport;

  constructor(transport: Transport) {
    this.#transport = transport;
  }

  search(filter: ContentFilter = {}, options: CallOptions = {}): Pages<ContentItem> {
    const read = (page: number): Promise<Page<ContentItem>> =>
      this.#transport.request({
        method: 'GET',
        path: '/core/content/library/search',
        query: { ...filter, page },
        ...options,
      });
    return new Pages(read, filter.page);
  }
}
