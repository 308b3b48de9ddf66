/** A third of a token's life. */
const renewMs = 5 * 60 * 1000;

/** Made again long before a token expires: a long run must not end with nothing but 401s. */
export function renewed<Value>(make: () => Promise<Value>): () => Promise<Value> {
  let made: { value: Value; atMs: number } | undefined;
  return async () => {
    if (!made || performance.now() - made.atMs > renewMs) made = { value: await make(), atMs: performance.now() };
    return made.value;
  };
}
