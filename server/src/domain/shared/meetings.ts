/** Where something waits a moment for its counterpart, so that both can be written at once. Each has the same key. */
export type Meetings<Item> = {
  /** Waits so long for the item, and then writes, with null if none came. `write` returns whether it succeeded. */
  meet(key: string, withinMs: number, write: (item: Item | null) => Promise<boolean>): Promise<void>;
  /**
   * True once the item has been written with its counterpart. False if nothing waits for it: then the caller writes it. If
   * the counterpart is just being written without it, that comes after.
   */
  bring(key: string, item: Item): Promise<boolean>;
};

type Meeting<Item> = { arrive: ((item: Item) => void) | null; written: Promise<boolean> };

export function makeMeetings<Item>(): Meetings<Item> {
  const meetings = new Map<string, Meeting<Item>>();
  return {
    async meet(key, withinMs, write) {
      const { promise: arrival, resolve: arrive } = Promise.withResolvers<Item | null>();
      const timer = setTimeout(arrive, withinMs, null);
      const written = arrival.then((item) => {
        clearTimeout(timer);
        meeting.arrive = null;
        return write(item);
      });
      const meeting: Meeting<Item> = { arrive, written };
      meetings.set(key, meeting);
      await written.finally(() => {
        if (meetings.get(key) === meeting) meetings.delete(key);
      });
    },
    async bring(key, item) {
      const meeting = meetings.get(key);
      if (!meeting) return false;
      const { arrive, written } = meeting;
      meeting.arrive = null;
      arrive?.(item);
      const succeeded = await written.catch(() => false);
      return arrive !== null && succeeded;
    },
  };
}
