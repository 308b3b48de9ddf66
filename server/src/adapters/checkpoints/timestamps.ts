import { createHash, randomBytes } from 'node:crypto';
import type { CheckpointDeliveries } from '../../domain/ports.ts';
import { checkTimestamp, timestampQuery } from './rfc3161.ts';

type Options = {
  /** Aborted when the node is about to stop: then nobody waits for the authority any longer. */
  until?: AbortSignal;
  timeoutMs?: number;
};

const timeoutMsDefault = 10_000;
/** Answers from known authorities, with certificates, are smaller than 8 KiB. */
const responseBytesMax = 64 * 1024;
const nonceBytes = 8;

/** A time-stamping authority over HTTP (RFC 3161, 3.4). Its complete answer is kept, so that anyone can check the signature. */
export function timestampAuthority(url: string, options: Options = {}): NonNullable<CheckpointDeliveries['timestamp']> {
  const { until, timeoutMs = timeoutMsDefault } = options;
  return async (note) => {
    const asked = { digest: createHash('sha256').update(note).digest(), nonce: randomBytes(nonceBytes) };
    const response = await ask(
      url,
      timestampQuery(asked),
      AbortSignal.any([AbortSignal.timeout(timeoutMs), ...(until ? [until] : [])]),
    );
    checkTimestamp(response, asked);
    return response;
  };
}

async function ask(url: string, query: Buffer, deadline: AbortSignal): Promise<Buffer> {
  let response: Response;
  try {
    response = await fetch(url, {
      method: 'POST',
      headers: { 'content-type': 'application/timestamp-query', accept: 'application/timestamp-reply' },
      body: new Uint8Array(query),
      redirect: 'manual',
      signal: deadline,
    });
    if (response.status === 200) return await readBounded(response);
  } catch (cause) {
    if (cause instanceof TooLarge) throw cause;
    const what = deadline.aborted ? 'did not answer in time' : 'can’t be reached';
    throw new Error(`The time-stamping authority ${what}.`, { cause });
  }
  await response.body?.cancel();
  throw new Error(`The time-stamping authority answers ${response.status}.`);
}

class TooLarge extends Error {}

/** Leaving the loop early also cancels the transfer. */
async function readBounded(response: Response): Promise<Buffer> {
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  for await (const chunk of response.body ?? []) {
    bytes += chunk.byteLength;
    if (bytes > responseBytesMax)
      throw new TooLarge(`The time-stamping authority answers with more than ${responseBytesMax} bytes.`);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}
