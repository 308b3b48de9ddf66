type Encounter<Item> = { arrive: ((item: Item) => void) | null; written: Promise<boolean> };

/** Where something waits a moment for its counterpart, so that both can be written at once. Each has the same key. */
export function makeRendezvous<Item>() {
  const rendezvous = new Map<string, Encounter<Item>>();
  return {
    /** Waits so long for the item, and then writes, with null if none came. `write` returns whether it succeeded. */
    async meet(key: string, withinMs: number, write: (item: Item | null) => Promise<boolean>): Promise<void> {
      const { promise: arrival, resolve: arrive } = Promise.withResolvers<Item | null>();
      const timer = setTimeout(arrive, withinMs, null);
      const written = arrival.then((item) => {
        clearTimeout(timer);
        encounter.arrive = null;
        return write(item);
      });
      const encounter: Encounter<Item> = { arrive, written };
      rendezvous.set(key, encounter);
      await written.finally(() => {
        if (rendezvous.get(key) === encounter) rendezvous.delete(key);
      });
    },
    /**
     * True once the item has been written with its counterpart. False if nothing waits for it: then the caller writes it. If
     * the counterpart is just being written without it, that comes after.
     */
    async bring(key: string, item: Item): Promise<boolean> {
      const encounter = rendezvous.get(key);
      if (!encounter) return false;
      const { arrive, written } = encounter;
      encounter.arrive = null;
      arrive?.(item);
      const succeeded = await written.catch(() => false);
      return arrive !== null && succeeded;
    },
  };
}
