import type { CallOptions, FeedPage, Page } from './types.ts';

/**
 * A search. `await` gives its first page; `for await` gives every item of every page. It isn't resumable: items that are added or
 * deleted meanwhile move the others. Use `changes()` to keep up with a book.
 */
export class Pages<Item> implements PromiseLike<Page<Item>>, AsyncIterable<Item> {
  readonly #read: (page: number) => Promise<Page<Item>>;
  readonly #start: number;
  #first: Promise<Page<Item>> | undefined;

  constructor(read: (page: number) => Promise<Page<Item>>, start = 1) {
    this.#read = read;
    this.#start = start;
  }

  // biome-ignore lint/suspicious/noThenProperty: `await` gives the first page.
  then<Result = Page<Item>, Failure = never>(
    done?: ((page: Page<Item>) => Result | PromiseLike<Result>) | null,
    failed?: ((error: unknown) => Failure | PromiseLike<Failure>) | null,
  ): Promise<Result | Failure> {
    this.#first ??= this.#read(this.#start);
    return this.#first.then(done, failed);
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<Item, void, undefined> {
    for await (const { data } of this.pages()) yield* data;
  }

  async *pages(): AsyncGenerator<Page<Item>, void, undefined> {
    for (let number = this.#start; ; number++) {
      const page = await this.#read(number);
      yield page;
      const { pageSize, totalRecord } = page.pageInfo;
      if (page.data.length === 0 || number * pageSize >= totalRecord) return;
    }
  }
}

/**
 * A feed in the order of commits. `cursor` moves on only after every item of its page was taken, so a reader that stores it gets
 * each item at least once, and none is skipped.
 */
export class Feed<Item> implements AsyncIterable<Item> {
  cursor: string | undefined;
  readonly #read: (cursor: string | undefined) => Promise<FeedPage<Item>>;
  readonly #ends: boolean;

  constructor(
    read: (cursor: string | undefined) => Promise<FeedPage<Item>>,
    { cursor, ends }: { cursor?: string | undefined; ends: boolean },
  ) {
    this.#read = read;
    this.cursor = cursor;
    this.#ends = ends;
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<Item, void, undefined> {
    for (;;) {
      const { data, cursor, more } = await this.#read(this.cursor);
      yield* data;
      this.cursor = cursor;
      if (this.#ends && !more) return;
    }
  }
}

export type FeedOptions = CallOptions & {
  /** Where to go on; by default from the start of what is kept, 30 days. */
  cursor?: string | undefined;
  /** Items read at once; 100 by default. */
  pageSize?: number | undefined;
};
