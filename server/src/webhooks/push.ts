import { Webhook } from 'standardwebhooks';
import type { Push, Pushed } from '../domain/ports.ts';
import { makeOutbound, OutboundFault } from '../outbound/outbound.ts';

/** An endpoint that takes longer is tried again later: others wait for its turn to end. */
const timeoutMs = 10_000;
const answerBytesMax = 64 * 1024;
const answerShownMax = 200;

/** Pushes as Standard Webhooks says, to addresses that somebody else wrote down. Redirects are not followed. */
export function makePush(allowedNetworks: readonly string[]): Push {
  const ask = makeOutbound(allowedNetworks, { timeoutMs, bytesMax: answerBytesMax });
  return async ({ url, secrets, id, body, until }) => {
    const now = new Date();
    const headers = {
      'content-type': 'application/json',
      'webhook-id': id,
      'webhook-timestamp': String(Math.floor(now.getTime() / 1000)),
      // While a secret is being replaced, both sign: a receiver with either accepts it.
      'webhook-signature': secrets.map((secret) => new Webhook(secret).sign(id, now, body)).join(' '),
    };
    try {
      const answer = await ask(url, { method: 'POST', headers, body, signal: until, redirect: 'manual' });
      return await pushedAs(answer);
    } catch (error) {
      if (!(error instanceof OutboundFault)) throw error;
      return { status: null, answer: error.message };
    }
  };
}

/** The status counts, even if the rest of the answer is too long or never ends. */
async function pushedAs(answer: Response): Promise<Pushed> {
  const text = await answer.text().catch((error) => String(error.message));
  return { status: answer.status, answer: text.slice(0, answerShownMax).replaceAll('\0', '') };
}
