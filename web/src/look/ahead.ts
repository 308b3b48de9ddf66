const waiting: (() => Promise<unknown>)[] = [];
const firstMs = 2_000;
const nextMs = 50;

/**
 * For a part that is loaded when it is needed: also loaded while nothing else is to be done. Otherwise a connection that was lost, or a
 * new version of the app on the server, takes away everything that wasn't opened yet.
 */
export function ahead<Part>(load: () => Promise<Part>): () => Promise<Part> {
  waiting.push(load);
  if (waiting.length === 1) setTimeout(loadNext, firstMs);
  return load;
}

async function loadNext(): Promise<void> {
  // One that fails is tried again when it is needed.
  await waiting[0]?.().catch(() => {});
  waiting.shift();
  if (waiting.length > 0) setTimeout(loadNext, nextMs);
}
