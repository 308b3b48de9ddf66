import type { Agent } from 'undici';
import { reachable } from './addresses.ts';
import { addressOf, begin, connect, faultOf } from './exchanges.ts';
import type { OutboundLimits } from './outbound.ts';

type Post = (
  url: string,
  request: { headers: Record<string, string>; body: string; signal: AbortSignal },
) => Promise<{ status: number; text: string }>;

/**
 * Posts to addresses that somebody else provided, with the checks and limits of `makeOutbound`. It follows no redirect. For
 * many small requests: one takes a third of the CPU time that a `fetch` takes. The status counts, even if the rest of the
 * answer is too long, or never ends.
 */
export function makePost(allowedNetworks: readonly string[], { timeoutMs, bytesMax }: OutboundLimits): Post {
  const mayReach = reachable(allowedNetworks);
  let connecting: Promise<Agent> | undefined;

  return async (given, { headers, body, signal }) => {
    const url = addressOf(given);
    const exchange = begin(url, timeoutMs, signal);
    try {
      connecting ??= connect(mayReach, timeoutMs).then(({ agent }) => agent);
      const agent = await connecting;
      const response = await agent
        .request({
          origin: url.origin,
          path: `${url.pathname}${url.search}`,
          method: 'POST',
          headers: { 'user-agent': 'assent/1', ...headers },
          body,
          signal: exchange.signal,
        })
        .catch((error) => {
          throw faultOf(error, url);
        });
      const text = await textOf(response.body, bytesMax).catch((error) => faultOf(error, url).message);
      exchange.end();
      return { status: response.statusCode, text };
    } catch (error) {
      exchange.end(error);
      throw exchange.signal.reason;
    }
  };
}

/** What is longer is cut off, with its connection. */
async function textOf(body: AsyncIterable<Buffer>, bytesMax: number): Promise<string> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of body) {
    chunks.push(chunk);
    bytes += chunk.length;
    if (bytes > bytesMax) break;
  }
  return Buffer.concat(chunks).toString();
}
