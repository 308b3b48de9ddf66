const wordLengthMax = 64;

/** The known name that is spelled most like this one, if any is. `page_size`, `PageSize` and `page-size` are all pageSize. */
export function nearestOf(name: string, known: string[]): string | undefined {
  const [nearest] = known
    .map((each) => ({ each, edits: distance(plain(name), plain(each), each.length / 2) }))
    .filter(({ edits }) => edits < Infinity)
    .sort((a, b) => a.edits - b.edits);
  return nearest?.each;
}

/**
 * How many letters to add, drop, change or swap with a neighbor to get from one word to the other; Infinity if over the
 * limit. (Damerau–Levenshtein, in which no letter is edited twice.)
 */
export function distance(from: string, to: string, limit: number): number {
  if (Math.abs(from.length - to.length) > limit || Math.max(from.length, to.length) > wordLengthMax) return Infinity;
  const steps: number[][] = [];
  const at = (i: number, j: number) => steps[i]?.[j] ?? Infinity;
  for (let i = 0; i <= from.length; i++) {
    const row = [i];
    let least = i;
    steps.push(row);
    for (let j = 1; j <= to.length; j++) {
      const change = from[i - 1] === to[j - 1] ? 0 : 1;
      const isSwap = i > 1 && j > 1 && from[i - 1] === to[j - 2] && from[i - 2] === to[j - 1];
      const swapped = isSwap ? at(i - 2, j - 2) + 1 : Infinity;
      const edits = i === 0 ? j : Math.min(at(i - 1, j) + 1, at(i, j - 1) + 1, at(i - 1, j - 1) + change, swapped);
      least = Math.min(least, edits);
      row.push(edits);
    }
    // The next letters make it no less.
    if (least > limit) return Infinity;
  }
  const found = at(from.length, to.length);
  return found <= limit ? found : Infinity;
}

function plain(name: string): string {
  return name.toLowerCase().replace(/[^a-z0-9]/g, '');
}
