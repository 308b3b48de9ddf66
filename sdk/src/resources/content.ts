import type { Pages } from '../pages.ts';
import type { Transport } from '../transport.ts';
import type { CallOptions, ContentFilter, ContentItem } from '../types.ts';

export class Content {
  readonly #transport: Transport;

  constructor(transport: Transport) {
    this.#transport = transport;
  }

  search(filter: ContentFilter = {}, options: CallOptions = {}): Pages<ContentItem> {
    return this.#transport.pages('/core/content/library/search', filter, options);
  }
}
