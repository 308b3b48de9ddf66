type SizedCheckpoint = { size: number };

/** A signature takes 0.1 ms: this many at once keep every core busy, and nothing else waits for long. */
const atOnce = 256;

/** Reads on from where it was, a few at a time, until one is larger than the size. */
export function inStep<Item extends SizedCheckpoint>(items: AsyncIterable<Item>) {
  const iterator = items[Symbol.asyncIterator]();
  let next: IteratorResult<Item> | undefined;

  async function some(size: number): Promise<Item[]> {
    const taken: Item[] = [];
    while (taken.length < atOnce) {
      next ??= await iterator.next();
      if (next.done || next.value.size > size) break;
      taken.push(next.value);
      next = undefined;
    }
    return taken;
  }

  return {
    async *upTo(size: number): AsyncGenerator<Item[]> {
      for (let taken = await some(size); taken.length > 0; taken = await some(size)) yield taken;
    },
    async peek(): Promise<Item | null> {
      next ??= await iterator.next();
      return next.done ? null : next.value;
    },
    close: async () => void (await iterator.return?.()),
  };
}

/** Notes with their sizes. One that is larger than the tree is read at once, so that no others wait behind it. */
export async function* sized(notes: AsyncIterable<string>, treeSize: number) {
  for await (const note of notes) {
    const size = Number(note.split('\n', 2)[1]);
    yield { size: size > treeSize ? 0 : size, note };
  }
}
