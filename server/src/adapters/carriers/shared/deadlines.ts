/** Things that are all due the same time after they were added: one timer for all of them, however many there are. */
export type Deadlines<Item> = {
  add(item: Item): void;
  delete(item: Item): void;
};

export function makeDeadlines<Item>(afterMs: number, due: (item: Item) => void): Deadlines<Item> {
  /** In the order of their deadlines. */
  const items = new Map<Item, number>();
  let timer: NodeJS.Timeout | null = null;

  function check(): void {
    timer = null;
    const now = performance.now();
    for (const [item, at] of items) {
      if (at > now) {
        timer = setTimeout(check, at - now);
        return;
      }
      items.delete(item);
      due(item);
    }
  }

  return {
    add(item) {
      items.set(item, performance.now() + afterMs);
      timer ??= setTimeout(check, afterMs);
    },
    delete(item) {
      items.delete(item);
      if (items.size > 0 || !timer) return;
      clearTimeout(timer);
      timer = null;
    },
  };
}
