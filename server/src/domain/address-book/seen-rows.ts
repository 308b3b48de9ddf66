/** Remembers on which line of a file a text was, without the text: a million lines take 25 MB. */
export type SeenRows = {
  /** The line on which the same text was before, or null; then this line is remembered. */
  lineOf(text: string, line: number): number | null;
};

const sizeMin = 1 << 12;
const loadMax = 0.66;
/** For each place: two halves of a hash, and the line; 0 if the place is free. */
const width = 3;

/** By 64 bits of a hash: among a million texts, one in thirty million files would have two that look the same. */
export function makeSeenRows(): SeenRows {
  let places = new Uint32Array(sizeMin * width);
  let count = 0;

  function placeOf(high: number, low: number): number {
    const size = places.length / width;
    for (let place = low % size; ; place = (place + 1) % size) {
      const at = place * width;
      if (places[at + 2] === 0 || (places[at] === high && places[at + 1] === low)) return at;
    }
  }

  function grow(): void {
    const before = places;
    places = new Uint32Array(before.length * 2);
    for (let at = 0; at < before.length; at += width)
      if (before[at + 2] !== 0)
        places.set(before.subarray(at, at + width), placeOf(before[at] ?? 0, before[at + 1] ?? 0));
  }

  return {
    lineOf(text, line) {
      const [high, low] = hashOf(text);
      const at = placeOf(high, low);
      const seen = places[at + 2];
      if (seen) return seen;
      places[at] = high;
      places[at + 1] = low;
      places[at + 2] = line;
      count += 1;
      if (count > (places.length / width) * loadMax) grow();
      return null;
    },
  };
}

/** Two independent 32-bit hashes of the murmur family. */
function hashOf(text: string): [number, number] {
  let high = 0xdeadbeef;
  let low = 0x41c6ce57;
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at);
    high = Math.imul(high ^ code, 2654435761);
    low = Math.imul(low ^ code, 1597334677);
  }
  high = Math.imul(high ^ (high >>> 16), 2246822507) ^ Math.imul(low ^ (low >>> 13), 3266489909);
  low = Math.imul(low ^ (low >>> 16), 2246822507) ^ Math.imul(high ^ (high >>> 13), 3266489909);
  return [high >>> 0, low >>> 0];
}
