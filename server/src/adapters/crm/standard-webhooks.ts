import { Webhook, WebhookVerificationError } from 'standardwebhooks';
import { CrmFault } from '../../domain/ports.ts';

const secretBytesMin = 24;
const secretBytesMax = 64;

/** Signs and verifies with a `whsec_…` secret. The library takes a key of any length, so its length is checked here. */
export function openWebhook(secret: string): Webhook {
  const [, text = ''] = /^whsec_([A-Za-z0-9+/]+={0,2})$/.exec(secret) ?? [];
  const key = Buffer.from(text, 'base64');
  if (key.length < secretBytesMin || key.length > secretBytesMax)
    throw new CrmFault(`Its signing secret must be whsec_ and ${secretBytesMin} to ${secretBytesMax} bytes in base64.`);
  return new Webhook(key, { format: 'raw' });
}

/**
 * Checks that a response was signed just now and for this question, so it is neither forged nor replayed. The library
 * checks the time and the signature; it can't know our question, so its id is checked here.
 */
export function verifyResponse(
  webhook: Webhook,
  questionId: string,
  { status, headers }: Response,
  body: Buffer,
): void {
  if (!headers.get('webhook-signature') || !headers.get('webhook-timestamp'))
    throw new CrmFault(`It answered ${status} without a signature: is its address right?`);
  if (headers.get('webhook-id') !== questionId)
    throw new CrmFault('Its response is to a different question: the webhook-id differs.');
  try {
    webhook.verify(body, Object.fromEntries(headers), { jsonParse: false });
  } catch (error) {
    throw new CrmFault(reasonOf(error), { cause: error });
  }
}

/** The library's faults differ in their messages only: a bad time is "Message timestamp …" or "Invalid … Headers". */
function reasonOf(error: unknown): string {
  const isTime = error instanceof WebhookVerificationError && /timestamp|headers/i.test(error.message);
  return isTime
    ? 'Its response was signed over 5 minutes ago or ahead: is its clock right?'
    : 'The signature of its response is wrong: is the secret the same on both sides?';
}
