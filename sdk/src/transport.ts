import {
  attempt,
  backoff,
  defaultFetch,
  type Fetch,
  type HttpResponse,
  pause,
  retryAfterMs,
  unlessAborted,
} from './attempts.ts';
import { AssentError } from './errors.ts';
import { Pages } from './pages.ts';
import type { CallOptions, PostOptions } from './types.ts';

/**
 * Gives an access token. `refresh` asks for a new one, because `rejected` was refused. `oauth.tokenSource` and
 * `oauth.clientCredentials` make sources.
 */
export type TokenSource = (options: { refresh: boolean; rejected?: string | undefined }) => Promise<string>;

/** What hooks are told. It has no personal data: the path without its ids and query, and no bodies. */
export type CallInfo = { method: string; path: string; attempt: number };
export type Hooks = {
  request?(info: CallInfo): void;
  response?(info: CallInfo & { status: number; durationMs: number; traceId: string | undefined }): void;
  error?(info: CallInfo & { code: string; durationMs: number; traceId: string | undefined }): void;
  retry?(info: CallInfo & { code: string; pauseMs: number }): void;
};

export type AssentOptions = {
  /** With the version: `https://api.example.com/v1`. */
  baseUrl: string;
  apiKey: string;
  /** An access token, or where to get one. */
  token: string | TokenSource;
  /** Another `fetch`, for a proxy or a test. */
  fetch?: Fetch | undefined;
  /** In milliseconds, for each attempt; 30,000 by default. */
  timeout?: number | undefined;
  /** How often a call is repeated after an error that is retryable; 3 by default. */
  maxRetries?: number | undefined;
  hooks?: Hooks | undefined;
};

export type Request = PostOptions & {
  method: 'GET' | 'POST' | 'PUT' | 'DELETE';
  /** With the names of its ids: `/core/contact/contacts/{contactId}`. */
  path: string;
  ids?: Record<string, number>;
  query?: Record<string, unknown> | undefined;
  body?: unknown;
  /** How long the server may hold the answer, in seconds. */
  wait?: number | undefined;
  /** For a DELETE whose 404 after a lost answer doesn't yet say that it was done. */
  isDone?: () => Promise<boolean>;
};

const version = '0.1.0';
/** A server that asks for more isn't waited for. */
const retryAfterMsMax = 60_000;
const transient = new Set([408, 429, 500, 502, 503, 504]);

/** Makes calls: credentials, timeouts, retries, errors. */
export class Transport {
  readonly #options: Required<Omit<AssentOptions, 'hooks'>>;
  readonly #hooks: Hooks;

  constructor({ hooks, ...options }: AssentOptions) {
    const { protocol } = new URL(options.baseUrl);
    if (protocol !== 'https:' && protocol !== 'http:') throw new TypeError('baseUrl must be an http or https URL.');
    if (!options.apiKey) throw new TypeError('apiKey is missing.');
    if (!options.token) throw new TypeError('token is missing.');
    this.#options = {
      ...options,
      // An option that is there but undefined is left out: with it, no retry would ever be the last.
      fetch: options.fetch ?? defaultFetch,
      timeout: options.timeout ?? 30_000,
      maxRetries: options.maxRetries ?? 3,
      baseUrl: options.baseUrl.replace(/\/+$/, ''),
    };
    this.#hooks = hooks ?? {};
  }

  /** The parsed body; undefined where the answer has none. */
  async request<Result>(request: Request): Promise<Result> {
    if (request.method !== 'POST') return this.#repeat(request, undefined);
    const key = request.idempotencyKey ?? crypto.randomUUID();
    try {
      return await this.#repeat<Result>(request, key);
    } catch (error) {
      if (!(error instanceof AssentError)) throw error;
      // A copy: the error of a token source is that of every call that waited for the token.
      throw new AssentError(error.message, { ...error, idempotencyKey: key, cause: error.cause });
    }
  }

  async #repeat<Result>(request: Request, key: string | undefined): Promise<Result> {
    const state = { token: await this.#token(request, {}), isRefreshed: false, mayHaveTakenEffect: false };
    for (let attempts = 1; ; attempts++) {
      try {
        return (await this.#attempt(request, { key, attempts, token: state.token })) as Result;
      } catch (error) {
        if (!(error instanceof AssentError)) throw error;
        // Deleted by an attempt whose answer was lost.
        if (request.method === 'DELETE' && error.status === 404 && state.mayHaveTakenEffect) {
          if (await (request.isDone?.() ?? true)) return undefined as Result;
        }
        if (isInDoubt(error)) state.mayHaveTakenEffect = true;
        if (error instanceof TokenRefused && !state.isRefreshed && typeof this.#options.token === 'function') {
          state.isRefreshed = true;
          state.token = await this.#token(request, { rejected: state.token });
          continue;
        }
        const pauseMs = this.#pauseBefore(error, attempts);
        if (pauseMs === null) throw error;
        this.#tell('retry', { ...infoOf(request, attempts), code: error.code, pauseMs });
        await pause(pauseMs, request.signal);
      }
    }
  }

  /** A search: its filter is the query, and every page is read with it. */
  pages<Item>(path: string, filter: Record<string, unknown> & { page?: number }, options: CallOptions): Pages<Item> {
    return new Pages(
      (page) => this.request({ method: 'GET', path, query: { ...filter, page }, ...options }),
      filter.page,
    );
  }

  /** Null if it isn't tried again. */
  #pauseBefore({ retryable, retryAfterMs = 0 }: AssentError, attempts: number): number | null {
    if (!retryable || attempts > this.#options.maxRetries || retryAfterMs > retryAfterMsMax) return null;
    return Math.max(retryAfterMs, backoff(attempts));
  }

  async #token({ signal }: Request, { rejected }: { rejected?: string }): Promise<string> {
    const { token } = this.#options;
    if (typeof token === 'string') return token;
    return unlessAborted(Promise.resolve(token({ refresh: rejected !== undefined, rejected })), signal);
  }

  async #attempt(
    request: Request,
    { key, attempts, token }: { key: string | undefined; attempts: number; token: string },
  ): Promise<unknown> {
    const { fetch, timeout, apiKey } = this.#options;
    const info = infoOf(request, attempts);
    const startedMs = Date.now();
    const headers = {
      accept: 'application/json',
      authorization: `Bearer ${token}`,
      'x-api-key': apiKey,
      'user-agent': `assent-client/${version}`,
      ...(request.body !== undefined && { 'content-type': 'application/json' }),
      ...(key !== undefined && { 'idempotency-key': key }),
    };
    // Throws what no header can carry, such as a key in Chinese: that is no failed connection, and no attempt helps.
    new Headers(headers);
    this.#tell('request', info);
    try {
      const response = await attempt(
        fetch,
        this.#url(request),
        {
          method: request.method,
          headers,
          ...(request.body !== undefined && { body: JSON.stringify(request.body) }),
        },
        { timeout: (request.timeout ?? timeout) + (request.wait ?? 0) * 1000, signal: request.signal },
      );
      const traceId = traceOf(response);
      this.#tell('response', { ...info, status: response.status, durationMs: Date.now() - startedMs, traceId });
      return parse(response);
    } catch (error) {
      if (error instanceof AssentError)
        this.#tell('error', { ...info, code: error.code, durationMs: Date.now() - startedMs, traceId: error.traceId });
      throw error;
    }
  }

  #url({ path, ids = {}, query = {}, wait }: Request): string {
    const filled = path.replace(/\{(\w+)\}/g, (_, name: string) => encodeURIComponent(String(ids[name])));
    const given = Object.entries({ ...query, wait }).filter(([, value]) => value !== undefined && value !== null);
    const search = new URLSearchParams(given.map(([name, value]) => [name, String(value)])).toString();
    return `${this.#options.baseUrl}${filled}${search && `?${search}`}`;
  }

  /** A hook that throws must not fail a call. */
  #tell<Name extends keyof Hooks>(name: Name, info: Parameters<NonNullable<Hooks[Name]>>[0]): void {
    try {
      (this.#hooks[name] as ((told: typeof info) => void) | undefined)?.(info);
    } catch {}
  }
}

function infoOf({ method, path }: Request, attempts: number): CallInfo {
  return { method, path, attempt: attempts };
}

/** No answer came, or not the server's own: its 5xx mean that nothing was done, unless the outcome is unknown. */
function isInDoubt({ status, code, details }: AssentError): boolean {
  return (
    status === 0 || code === 'bad_response' || (details as { outcome?: unknown } | undefined)?.outcome === 'unknown'
  );
}

/** The 401 of a token says `invalid_token` in `WWW-Authenticate`. That of an API key doesn't, and no new token helps against it. */
class TokenRefused extends AssentError {}

function traceOf({ headers }: HttpResponse): string | undefined {
  return headers.get('x-trace-id') ?? undefined;
}

function parse(response: HttpResponse): unknown {
  const { status, headers, text } = response;
  if (status === 204) return undefined;
  const type = headers.get('content-type') ?? '';
  const body = /\bjson\b/i.test(type) ? parseJson(text) : undefined;
  if (status >= 200 && status < 300) {
    if (body !== null && typeof body === 'object') return body;
    // Half of an answer: the same call again gets the whole.
    const isCut = /\bjson\b/i.test(type);
    throw badResponse(
      response,
      isCut ? 'The answer is not valid JSON.' : `The answer is ${type || 'without a type'}, not JSON.`,
      isCut,
    );
  }
  const isToken = status === 401 && /\binvalid_token\b/.test(headers.get('www-authenticate') ?? '');
  const Refusal = isToken ? TokenRefused : AssentError;
  if (isProblem(body))
    throw new Refusal(body.detail, {
      code: body.code,
      status,
      traceId: body.traceId ?? traceOf(response),
      retryable: body.retryable === true,
      details: body.details,
      retryAfterMs: retryAfterMs(headers),
    });
  throw badResponse(response, `The server answered ${status} without a problem body.`, transient.has(status));
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

type Problem = { code: string; detail: string; traceId?: string; retryable?: unknown; details?: unknown };

function isProblem(body: unknown): body is Problem {
  const { code, detail } = (body ?? {}) as Partial<Problem>;
  return typeof code === 'string' && typeof detail === 'string';
}

function badResponse(response: HttpResponse, message: string, retryable: boolean): AssentError {
  const { status, headers } = response;
  return new AssentError(message, {
    code: 'bad_response',
    status,
    traceId: traceOf(response),
    retryable,
    retryAfterMs: retryAfterMs(headers),
  });
}
