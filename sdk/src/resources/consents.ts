import { pause } from '../attempts.ts';
import { AssentError } from '../errors.ts';
import type { Transport } from '../transport.ts';
import type {
  CallOptions,
  ConsentKey,
  ConsentRequest,
  ConsentRequestResult,
  ConsentSearch,
  ConsentSearchResult,
  ConsentStatus,
  PostOptions,
} from '../types.ts';

/** How long a person may take to answer before they have to be asked again. */
export const consentWaitMs = 24 * 60 * 60 * 1000;
/** As the contract recommends: every 30 seconds for five minutes, then every five minutes. */
const soonMs = 5 * 60 * 1000;
const holdSeconds = 30;
const laterMs = 5 * 60 * 1000;

export class Consents {
  readonly #transport: Transport;

  constructor(transport: Transport) {
    this.#transport = transport;
  }

  /** Texts people a request for their consent. There is no cooldown: don't ask again and again. */
  request(request: ConsentRequest, options: PostOptions = {}): Promise<ConsentRequestResult> {
    return this.#transport.request({
      method: 'POST',
      path: '/text/messaging/consent-requests',
      body: request,
      ...options,
    });
  }

  /** With `wait`, up to 30 seconds, the server answers when the state is no longer `pending`. */
  get(key: ConsentKey, { wait, ...options }: CallOptions & { wait?: number | undefined } = {}): Promise<ConsentStatus> {
    return this.#transport.request({ method: 'GET', path: '/text/messaging/consents', query: key, wait, ...options });
  }

  /** In the order given; a number that nobody owns has no state. */
  search(search: ConsentSearch, options: CallOptions = {}): Promise<ConsentSearchResult> {
    return this.#transport.request({
      method: 'POST',
      path: '/text/messaging/consents/search',
      body: search,
      ...options,
    });
  }

  /**
   * The first state that isn't `pending`. After `within` milliseconds, 24 hours by default, it rejects with the code `timeout`. Once
   * it waits, an error that is retryable doesn't end it; it asks again no sooner than the server says.
   */
  async waitFor(
    key: ConsentKey,
    { within = consentWaitMs, ...options }: CallOptions & { within?: number | undefined } = {},
  ): Promise<ConsentStatus> {
    const startedMs = Date.now();
    const leftMs = () => startedMs + within - Date.now();
    for (let isFirst = true; ; isFirst = false) {
      const turnMs = Date.now();
      const wait = Math.min(holdSeconds, Math.max(0, Math.floor(leftMs() / 1000)));
      const found = await this.get(key, { ...options, wait }).catch((error: unknown) => {
        if (isFirst || !(error instanceof AssentError) || !error.retryable) throw error;
        return error;
      });
      const isError = found instanceof AssentError;
      if (!isError && found.state !== 'pending') return found;
      if (leftMs() <= 0) throw new AssentError('The person has not answered in time.', { code: 'timeout' });
      const everyMs = Date.now() - startedMs < soonMs ? holdSeconds * 1000 : laterMs;
      const pauseMs = Math.max(turnMs + everyMs - Date.now(), (isError && found.retryAfterMs) || 0);
      await pause(Math.max(0, Math.min(pauseMs, leftMs())), options.signal);
    }
  }
}
