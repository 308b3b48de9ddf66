/** How many there are of each id, and in all. */
export function counter() {
  const counts = new Map<number, number>();
  let all = 0;
  return {
    all: () => all,
    of: (id: number) => counts.get(id) ?? 0,
    change(id: number, by: 1 | -1): void {
      all += by;
      const count = (counts.get(id) ?? 0) + by;
      if (count === 0) counts.delete(id);
      else counts.set(id, count);
    },
  };
}
