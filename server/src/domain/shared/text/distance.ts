const wordLengthMax = 64;
/** The rows that are compared, used again for each pair of words. The last column is beyond every word. */
const rows = Array.from({ length: 3 }, () => new Uint8Array(wordLengthMax + 2)) as [Uint8Array, Uint8Array, Uint8Array];

/**
 * How many letters to add, drop, change or swap with a neighbor to get from one word to the other; Infinity if over the
 * limit. (Damerau–Levenshtein, in which no letter is edited twice.) Only the columns that the limit allows are worked out.
 */
export function distance(from: string, to: string, limit: number): number {
  if (Math.abs(from.length - to.length) > limit || Math.max(from.length, to.length) > wordLengthMax) return Infinity;
  let [before, last, row] = rows;
  const tooMany = limit + 1;
  let leastOfLast = 0;
  for (let j = 0; j <= to.length + 1; j++) last[j] = Math.min(j, tooMany);
  for (let i = 1; i <= from.length; i++) {
    const first = Math.max(1, i - limit);
    const end = Math.min(to.length, i + limit);
    let leastOfRow = first === 1 ? Math.min(i, tooMany) : tooMany;
    row[first - 1] = leastOfRow;
    for (let j = first; j <= end; j++) {
      const change = from.charCodeAt(i - 1) === to.charCodeAt(j - 1) ? 0 : 1;
      let least = Math.min(at(last, j) + 1, at(row, j - 1) + 1, at(last, j - 1) + change, tooMany);
      const isSwap = i > 1 && j > 1 && from[i - 1] === to[j - 2] && from[i - 2] === to[j - 1];
      if (isSwap) least = Math.min(least, at(before, j - 2) + 1);
      row[j] = least;
      leastOfRow = Math.min(leastOfRow, least);
    }
    row[end + 1] = tooMany;
    // A swap skips a row, but nothing skips two.
    if (leastOfRow === tooMany && leastOfLast >= limit) return Infinity;
    leastOfLast = leastOfRow;
    [before, last, row] = [last, row, before];
  }
  const steps = at(last, to.length);
  return steps <= limit ? steps : Infinity;
}

function at(row: Uint8Array, index: number): number {
  return row[index] ?? Infinity;
}
