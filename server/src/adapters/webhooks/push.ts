import { Webhook } from 'standardwebhooks';
import type { Push } from '../../domain/ports.ts';
import { OutboundFault } from '../outbound/outbound.ts';
import { makePost } from '../outbound/post.ts';

/** An endpoint that takes longer is tried again later: others wait for its turn to end. */
const timeoutMs = 10_000;
const responseBytesMax = 64 * 1024;
const responseShownMax = 200;

/** Pushes as Standard Webhooks says, to addresses that somebody else wrote down. Redirects are not followed. */
export function makePush(allowedNetworks: readonly string[]): Push {
  const post = makePost(allowedNetworks, { timeoutMs, bytesMax: responseBytesMax });
  return async ({ url, secrets, id, body, now, until }) => {
    // While a secret is being replaced, both sign: a receiver with either accepts it.
    const signature = secrets.map((secret) => new Webhook(secret).sign(id, now, body)).join(' ');
    const headers = {
      'content-type': 'application/json',
      'webhook-id': id,
      'webhook-timestamp': String(Math.floor(now.getTime() / 1000)),
      'webhook-signature': signature,
    };
    try {
      const { status, text } = await post(url, { headers, body, signal: until });
      return { signature, status, response: text.slice(0, responseShownMax) };
    } catch (error) {
      if (!(error instanceof OutboundFault)) throw error;
      return { signature, status: null, response: error.message };
    }
  };
}
