import { createClient } from '@redis/client';

const withinMs = 2_000;

/** How long Redis takes to answer, in milliseconds, for somebody who checks a deployment. Throws if it doesn't. */
export async function pingRedis(url: string): Promise<number> {
  const client = createClient({ url, socket: { connectTimeout: withinMs, reconnectStrategy: false } });
  client.on('error', () => {});
  try {
    await client.connect();
    const askedAt = performance.now();
    await client.ping();
    return performance.now() - askedAt;
  } finally {
    client.destroy();
  }
}
