import { AssentError } from './errors.ts';

/** One HTTP exchange, with the whole body read. */
export type HttpResponse = { status: number; headers: Headers; text: string };
export type Fetch = (url: string, init: RequestInit) => Promise<Response>;

/** No answer of the API is near this. */
const bodyBytesMax = 32 * 1024 * 1024;
const backoffMs = 500;
const backoffMsMax = 8_000;

export const defaultFetch: Fetch = (url, init) => globalThis.fetch(url, init);

/**
 * Makes one attempt. It ends within `timeout`, body included, even if `fetch` ignores its signal. Rejects with the signal's reason
 * after an abort, and otherwise with an AssentError.
 */
export async function attempt(
  fetch: Fetch,
  url: string,
  init: RequestInit,
  { timeout, signal }: { timeout: number; signal?: AbortSignal | undefined },
): Promise<HttpResponse> {
  signal?.throwIfAborted();
  const controller = new AbortController();
  const ended = rejectable();
  const end = (reason: unknown) => {
    controller.abort(reason);
    ended.reject(reason);
  };
  const timedOut = new AssentError(`No answer came within ${timeout} ms.`, { code: 'timeout', retryable: true });
  const timer = setTimeout(end, timeout, timedOut);
  const onAbort = () => end(signal?.reason);
  signal?.addEventListener('abort', onAbort, { once: true });
  try {
    // A redirect would take the credentials elsewhere.
    const work = exchange(fetch, url, { ...init, redirect: 'manual', signal: controller.signal });
    work.catch(() => {});
    return await Promise.race([work, ended.promise]);
  } catch (error) {
    if (signal?.aborted) throw signal.reason;
    if (error instanceof AssentError) throw error;
    if (controller.signal.aborted) throw timedOut;
    throw new AssentError('The connection failed.', { code: 'connection', retryable: true, cause: error });
  } finally {
    clearTimeout(timer);
    signal?.removeEventListener('abort', onAbort);
  }
}

async function exchange(fetch: Fetch, url: string, init: RequestInit): Promise<HttpResponse> {
  const response = await fetch(url, init);
  return { status: response.status, headers: response.headers, text: await readText(response) };
}

async function readText(response: Response): Promise<string> {
  if (!response.body) return '';
  const decoder = new TextDecoder();
  const reader = response.body.getReader();
  let text = '';
  let bytes = 0;
  for (;;) {
    const { done, value } = await reader.read();
    if (done) return text + decoder.decode();
    bytes += value.byteLength;
    if (bytes > bodyBytesMax) {
      reader.cancel().catch(() => {});
      throw new AssentError('The answer is too long.', { code: 'bad_response', status: response.status });
    }
    text += decoder.decode(value, { stream: true });
  }
}

/** Exponential, with jitter, so that clients that failed together don't come back together. */
export function backoff(attempts: number): number {
  const most = Math.min(backoffMs * 2 ** (attempts - 1), backoffMsMax);
  return most / 2 + (Math.random() * most) / 2;
}

/** Rejects with the signal's reason when it is aborted. */
export function pause(ms: number, signal?: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    if (signal?.aborted) return reject(signal.reason);
    const done = () => {
      clearTimeout(timer);
      signal?.removeEventListener('abort', onAbort);
    };
    const onAbort = () => {
      done();
      reject(signal?.reason);
    };
    const timer = setTimeout(() => {
      done();
      resolve();
    }, ms);
    signal?.addEventListener('abort', onAbort, { once: true });
  });
}

/** Lets one caller stop waiting for work that others share. */
export async function unlessAborted<Value>(work: Promise<Value>, signal?: AbortSignal): Promise<Value> {
  if (!signal) return work;
  work.catch(() => {});
  signal.throwIfAborted();
  const aborted = rejectable();
  const onAbort = () => aborted.reject(signal.reason);
  signal.addEventListener('abort', onAbort, { once: true });
  return Promise.race([work, aborted.promise]).finally(() => signal.removeEventListener('abort', onAbort));
}

/** A promise that nobody has to handle. `Promise.withResolvers` is newer than Node 20. */
function rejectable(): { promise: Promise<never>; reject(reason: unknown): void } {
  let reject: (reason: unknown) => void = () => {};
  const promise = new Promise<never>((_, rejectIt) => {
    reject = rejectIt;
  });
  promise.catch(() => {});
  return { promise, reject };
}

/** Whole seconds, or a date, which counts from the server's own clock where it says it. */
export function retryAfterMs(headers: Headers): number | undefined {
  const value = headers.get('retry-after')?.trim();
  if (!value) return undefined;
  if (/^\d+$/.test(value)) return Number(value) * 1000;
  const at = Date.parse(value);
  if (Number.isNaN(at)) return undefined;
  const now = Date.parse(headers.get('date') ?? '');
  return Math.max(0, at - (Number.isNaN(now) ? Date.now() : now));
}
