import { tell } from './witnesses.ts';

/** Why a call failed. `status` is 0 if there was no answer. */
export class CallFailed extends Error {
  readonly status: number;
  readonly code: string;
  readonly traceId: string | null;
  readonly details: unknown;
  /** Whether the same request can succeed later. */
  readonly retryable: boolean;

  constructor(
    status: number,
    problem: {
      code?: string;
      detail?: string;
      title?: string;
      traceId?: string;
      details?: unknown;
      retryable?: boolean;
    },
  ) {
    super(problem.detail ?? problem.title ?? 'The server can’t be reached.');
    this.status = status;
    this.code = problem.code ?? (status ? 'internal_error' : 'no_answer');
    this.traceId = problem.traceId ?? null;
    this.details = problem.details;
    this.retryable = status === 0 || (problem.retryable ?? status >= 500);
  }
}

/** Whether nobody knows if a call was done. One that was turned away at the door wasn't, unless at an earlier try. */
export function isInDoubt(error: unknown, isFirstTry = true): boolean {
  if (!(error instanceof CallFailed)) return true;
  return [401, 403, 429].includes(error.status) ? !isFirstTry : error.retryable;
}

/** The app and the console are two pages, each with a session and calls of its own. */
const door = location.pathname.startsWith('/console')
  ? { api: '/console/api', signIn: '/console/sign-in', signOut: '/console/sign-out', home: '/console' }
  : { api: '/app/api', signIn: '/sign-in', signOut: '/sign-out', home: '/app' };
let formToken = '';
/** Pages read again by themselves. After this long without a key or a click, that keeps nobody signed in to the console. */
export const attendedMs = 5 * 60_000;
let usedAt = performance.now();
for (const input of ['pointerdown', 'keydown', 'wheel'])
  addEventListener(input, () => (usedAt = performance.now()), { capture: true, passive: true });
const answerMsMax = 30_000;
const fileMsMax = 5 * 60_000;

/** Why somebody signs in again without leaving the page: what they do needs a fresh sign-in, or their session has ended. */
export type SignInReason = 'stale' | 'ended';
/** Asks somebody to prove again that it is them; false if they don't. */
let confirmation: ((why: SignInReason) => Promise<boolean>) | null = null;
let confirming: Promise<boolean> | null = null;

export function setConfirmation(ask: (why: SignInReason) => Promise<boolean>): void {
  confirmation = ask;
}

/** Once for all the calls of a page. */
async function confirm(why: SignInReason): Promise<boolean> {
  confirming ??= confirmation?.(why).finally(() => (confirming = null)) ?? null;
  return (await confirming) ?? false;
}

export function setFormToken(token: string): void {
  formToken = token;
}

export type Call = {
  query?: Record<string, string | number | boolean | undefined>;
  body?: unknown;
  /** Sent as it is, instead of a body. */
  file?: File;
  /** The same key with the same body is done once, however often it is sent. */
  idempotencyKey?: string;
  /** Survives the page: for what is saved while it closes. */
  keepalive?: boolean;
  signal?: AbortSignal;
};

export const get = <Answer>(path: string, call?: Call) => request<Answer>('GET', path, call);
export const post = <Answer>(path: string, call?: Call) => request<Answer>('POST', path, { body: {}, ...call });
export const put = <Answer>(path: string, call?: Call) => request<Answer>('PUT', path, call);
export const remove = (path: string, call?: Call) => request<void>('DELETE', path, call);

async function request<Answer>(method: string, path: string, call: Call = {}): Promise<Answer> {
  const { query = {}, body, file, idempotencyKey, keepalive, signal } = call;
  const given = Object.entries(query).filter(([, value]) => value !== undefined && value !== '');
  const pairs = new URLSearchParams(given.map(([name, value]) => [name, String(value)]));
  // Not the + of forms: the server takes that for a plus sign that somebody forgot to encode.
  const search = given.length > 0 ? `?${String(pairs).replaceAll('+', '%20')}` : '';
  const headers: Record<string, string> = { accept: 'application/json' };
  if (method !== 'GET') Object.assign(headers, ownHeaders());
  if (!isAttended()) headers['x-unattended'] = 'yes';
  if (body !== undefined) headers['content-type'] = 'application/json';
  if (file) Object.assign(headers, { 'content-type': 'text/csv', 'x-file-name': encodeURIComponent(file.name) });
  if (idempotencyKey) headers['idempotency-key'] = idempotencyKey;
  const timeout = AbortSignal.timeout(file ? fileMsMax : answerMsMax);
  const begun = performance.now();
  const { ok, status, result } = await fetch(`${door.api}${path}${search}`, {
    method,
    headers,
    body: file ?? (body === undefined ? null : JSON.stringify(body)),
    keepalive: keepalive ?? false,
    signal: signal ? AbortSignal.any([signal, timeout]) : timeout,
  })
    .then(read)
    .catch((error) => {
      if (signal?.aborted) throw error;
      throw new CallFailed(0, {});
    });
  if (path.startsWith('/v1/'))
    tell({ call: { method, path: path + search, body, status, answer: result, tookMs: performance.now() - begun } });
  if (ok) return (result || undefined) as Answer;
  if (isStale(new CallFailed(status, result)) && (await confirm('stale'))) return request(method, path, call);
  // Whoever is there keeps what they typed. What nobody looks after is taken off the screen.
  if (status === 401 && isAttended() && (await confirm('ended'))) return request(method, path, call);
  if (status === 401) signIn();
  throw new CallFailed(status, result);
}

/** Whether only somebody who signed in just now may do it. */
export function isStale(error: unknown): boolean {
  if (!(error instanceof CallFailed)) return false;
  return error.status === 403 && (error.details as { freshSignIn?: boolean } | undefined)?.freshSignIn === true;
}

/** An answer that breaks off, or that somebody between us and the server wrote, is none. */
async function read(answer: Response) {
  const { ok, status } = answer;
  const result = ok ? status !== 204 && (await answer.json()) : await answer.json().catch(() => ({}));
  return { ok, status, result };
}

function isAttended(): boolean {
  return performance.now() - usedAt <= attendedMs;
}

/** Makes a file of what the server answers, and lets the browser save it. */
export async function download(path: string, name: string, body: object): Promise<void> {
  const answer = await fetch(`${door.api}${path}`, {
    method: 'POST',
    headers: { ...ownHeaders(), 'content-type': 'application/json' },
    body: JSON.stringify(body),
    signal: AbortSignal.timeout(fileMsMax),
  }).catch(() => null);
  if (!answer?.ok) throw new CallFailed(answer?.status ?? 0, (await answer?.json().catch(() => null)) ?? {});
  const link = document.createElement('a');
  link.href = URL.createObjectURL(await answer.blob());
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), fileMsMax);
}

/** What shows the server that a call comes from a page of ours. */
export function ownHeaders(): Record<string, string> {
  return { 'x-form-token': formToken };
}

/**
 * The session ended. They come back to where they were, and what they typed is still there; for somebody else it isn't. The sandbox's
 * demonstration has a link that signs in by itself.
 */
export function signIn(again = false): void {
  const { pathname, search } = location;
  const next = `${again ? 'again=yes&' : ''}next=${encodeURIComponent(pathname + search)}`;
  location.assign(pathname === '/app/demonstration' ? '/demonstration' : `${door.signIn}?${next}`);
}

/** A form, because the answer leads to another page. */
export function signOut(): void {
  // What an advisor wrote in the app beside the console is still theirs.
  if (door.home === '/app') clearBrowser();
  else sessionStorage.clear();
  const form = document.createElement('form');
  form.method = 'post';
  form.action = door.signOut;
  for (const [name, value] of Object.entries({ formToken, next: `${door.signIn}?next=${door.home}` })) {
    const field = document.createElement('input');
    Object.assign(field, { type: 'hidden', name, value });
    form.append(field);
  }
  document.body.append(form);
  form.submit();
}

/** Nothing of an advisor's stays in a browser that they left … */
export function clearBrowser(): void {
  localStorage.clear();
}

/** … or that somebody else uses next. */
export function ownBrowser(owner: string): void {
  if (localStorage.getItem('owner') === owner) return;
  clearBrowser();
  localStorage.setItem('owner', owner);
}
