import { hash } from 'node:crypto';
import { once } from 'node:events';
import { Worker } from 'node:worker_threads';

/** A browser script, compressed, and a name that changes with its content. */
export type Bundle = { gzipped: Buffer; etag: string };

let loading: Promise<Bundle> | undefined;

/** Scalar's script: loaded at the first request, and kept. Most processes never need it. */
export function loadBundle(): Promise<Bundle> {
  loading ??= load().catch((error) => {
    loading = undefined;
    throw error;
  });
  return loading;
}

async function load(): Promise<Bundle> {
  const worker = new Worker(new URL('bundle-worker.ts', import.meta.url));
  const [message] = await once(worker, 'message');
  const gzipped = Buffer.from(message);
  return { gzipped, etag: `"${hash('sha256', gzipped, 'base64url')}"` };
}
