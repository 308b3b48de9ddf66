import { Webhook } from 'standardwebhooks';
import type { Push } from '../../domain/ports.ts';
import { makeOutbound, OutboundFault } from '../outbound/outbound.ts';

/** An endpoint that takes longer is tried again later: others wait for its turn to end. */
const timeoutMs = 10_000;
const responseBytesMax = 64 * 1024;
const responseShownMax = 200;

/** Pushes as Standard Webhooks says, to addresses that somebody else wrote down. Redirects are not followed. */
export function makePush(allowedNetworks: readonly string[]): Push {
  const ask = makeOutbound(allowedNetworks, { timeoutMs, bytesMax: responseBytesMax, cuts: true });
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
      const response = await ask(url, { method: 'POST', headers, body, signal: until });
      return { signature, status: response.status, response: (await response.text()).slice(0, responseShownMax) };
    } catch (error) {
      if (!(error instanceof OutboundFault)) throw error;
      return { signature, status: null, response: error.message };
    }
  };
}
