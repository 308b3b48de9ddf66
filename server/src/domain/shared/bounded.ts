const entriesMax = 10_000;

/** A map that forgets its oldest entry when it is full, so that what callers send can't fill the memory. */
export class Bounded<Key, Value> {
  readonly #entries = new Map<Key, Value>();

  get(key: Key): Value | undefined {
    return this.#entries.get(key);
  }

  set(key: Key, value: Value): void {
    this.#entries.delete(key);
    this.#entries.set(key, value);
    if (this.#entries.size <= entriesMax) return;
    for (const oldest of this.#entries.keys()) {
      this.#entries.delete(oldest);
      return;
    }
  }
}
