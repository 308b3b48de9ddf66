/** How many there are of each, and in all. */
export function counter<Key = number>() {
  const counts = new Map<Key, number>();
  let all = 0;
  return {
    all: () => all,
    of: (id: Key) => counts.get(id) ?? 0,
    entries: () => [...counts],
    change(id: Key, by: 1 | -1): void {
      all += by;
      const count = (counts.get(id) ?? 0) + by;
      if (count === 0) counts.delete(id);
      else counts.set(id, count);
    },
  };
}
