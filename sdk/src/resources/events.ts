import { Feed, type FeedOptions } from '../pages.ts';
import type { Transport } from '../transport.ts';
import type { Event, FeedPage } from '../types.ts';

/** The server holds an answer this long while nothing happens. */
const waitSeconds = 30;

export class Events {
  readonly #transport: Transport;

  constructor(transport: Transport) {
    this.#transport = transport;
  }

  /** One page. */
  list({
    cursor,
    pageSize,
    wait,
    ...options
  }: FeedOptions & { wait?: number | undefined } = {}): Promise<FeedPage<Event>> {
    return this.#transport.request({
      method: 'GET',
      path: '/text/messaging/events',
      query: { cursor, pageSize },
      wait,
      ...options,
    });
  }

  /**
   * What happened and what happens from now on; it never ends by itself. After an error, iterate it again, or
   * another one from its `cursor`. To start with what is new, read the pages up to now and ignore them.
   */
  stream({ cursor, ...options }: FeedOptions = {}): Feed<Event> {
    return new Feed((from) => this.list({ ...options, cursor: from, wait: waitSeconds }), { cursor, ends: false });
  }
}
