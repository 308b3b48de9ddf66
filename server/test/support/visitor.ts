import type { App } from '../../src/app.ts';
import { type Answer, inject } from './world.ts';

export type Visit = Answer & { location: string | undefined };
type Headers = Record<string, string>;

/** A browser without a window: it keeps cookies, fills in forms and sends back the form token of the last page it saw. */
export class Visitor {
  readonly cookies = new CookieJar();
  readonly #place: App | string;
  readonly #address: string | undefined;
  readonly #headers: Headers;
  #formToken = '';

  /** Visits an app without a socket, or the server at an address. The headers go with every request. */
  constructor(place: App | string, { address, headers = {} }: { address?: string; headers?: Headers } = {}) {
    this.#place = place;
    this.#address = address;
    this.#headers = headers;
  }

  async get(url: string): Promise<Visit> {
    return this.#send({ method: 'GET', url, headers: {} });
  }

  /** Submits the page's form with this action: its hidden fields and the given ones. */
  async submit({ body }: Visit, action: string, fields: Record<string, string>): Promise<Visit> {
    return this.#sendForm(action, { ...hiddenFields(body, action), ...fields });
  }

  /** Sends a form that no page needs to have shown. */
  async post(url: string, fields: Record<string, string> = {}, headers: Headers = {}): Promise<Visit> {
    return this.#sendForm(url, { formToken: this.#formToken, ...fields }, headers);
  }

  async postJson(url: string, body: object, headers: Headers = {}): Promise<Visit> {
    const json = { 'content-type': 'application/json', 'x-form-token': this.#formToken, ...headers };
    return this.#send({ method: 'POST', url, headers: json, payload: JSON.stringify(body) });
  }

  /** A script's call. */
  async call(
    method: VisitorRequest['method'],
    url: string,
    { body, headers = {} }: { body?: object | string | undefined; headers?: Headers } = {},
  ): Promise<Visit> {
    const json: Headers = body ? { 'content-type': 'application/json' } : {};
    return this.#send({
      method,
      url,
      headers: { ...json, ...headers },
      ...(body ? { payload: typeof body === 'string' ? body : JSON.stringify(body) } : {}),
    });
  }

  async signIn(email: string, password: string, next = ''): Promise<Visit> {
    await this.get('/sign-in');
    return this.post('/sign-in', { email, password, next });
  }

  async #sendForm(url: string, fields: Record<string, string>, headers: Headers = {}): Promise<Visit> {
    const form = { 'content-type': 'application/x-www-form-urlencoded', ...headers };
    return this.#send({ method: 'POST', url, headers: form, payload: new URLSearchParams(fields).toString() });
  }

  async #send(request: VisitorRequest): Promise<Visit> {
    const cookie = this.cookies.sentTo(new URL(request.url, 'http://localhost').pathname);
    const headers = { ...(cookie ? { cookie } : {}), ...this.#headers, ...request.headers };
    const { setCookies, ...answer } = await (typeof this.#place === 'string'
      ? fetched(this.#place, { ...request, headers })
      : injected(this.#place, { ...request, headers }, this.#address));
    for (const cookie of setCookies) this.cookies.receive(cookie);
    this.#formToken =
      /(?:name="formToken" value|data-form-token)="([^"]+)"/.exec(String(answer.body))?.[1] ?? this.#formToken;
    return { ...answer, location: answer.headers.location };
  }
}

type Cookie = { name: string; value: string; path: string };

/** Cookies by name and path, as a browser keeps them. */
class CookieJar {
  #cookies: Cookie[] = [];

  get(name: string): string | undefined {
    return this.#cookies.find((cookie) => cookie.name === name)?.value;
  }

  has(name: string): boolean {
    return this.get(name) !== undefined;
  }

  set(name: string, value: string, path = '/'): void {
    this.#cookies = this.#cookies.filter((cookie) => cookie.name !== name || cookie.path !== path);
    if (value !== '') this.#cookies.push({ name, value, path });
  }

  delete(name: string): void {
    this.#cookies = this.#cookies.filter((cookie) => cookie.name !== name);
  }

  clear(): void {
    this.#cookies = [];
  }

  receive(setCookie: string): void {
    const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(setCookie) ?? [];
    const [, path = '/'] = /;\s*path=([^;]+)/i.exec(setCookie) ?? [];
    this.set(name, value, path);
  }

  /** The Cookie header of a request to this path. */
  sentTo(path: string): string {
    const sent = this.#cookies.filter((cookie) => isWithin(path, cookie.path));
    return sent.map(({ name, value }) => `${name}=${value}`).join('; ');
  }
}

type VisitorRequest = { method: 'GET' | 'POST' | 'PUT' | 'DELETE'; url: string; headers: Headers; payload?: string };
type VisitorResponse = Answer & { setCookies: string[] };

async function injected(
  app: App,
  request: VisitorRequest,
  remoteAddress: string | undefined,
): Promise<VisitorResponse> {
  const answer = await inject(app, { ...request, ...(remoteAddress ? { remoteAddress } : {}) });
  return { ...answer, setCookies: [answer.headers['set-cookie'] ?? []].flat() };
}

async function fetched(origin: string, { method, url, headers, payload }: VisitorRequest): Promise<VisitorResponse> {
  const response = await fetch(new URL(url, origin), { method, headers, body: payload, redirect: 'manual' });
  const isJson = /json/.test(response.headers.get('content-type') ?? '');
  return {
    status: response.status,
    headers: Object.fromEntries(response.headers),
    body: await (isJson ? response.json() : response.text()),
    setCookies: response.headers.getSetCookie(),
  };
}

function isWithin(path: string, cookiePath: string): boolean {
  return cookiePath === '/' || path === cookiePath || path.startsWith(`${cookiePath}/`);
}

function hiddenFields(html: string, action: string): Record<string, string> {
  const [, form = ''] =
    new RegExp(`<form[^>]*action="${RegExp.escape(action)}"[^>]*>(.*?)</form>`, 's').exec(html) ?? [];
  const inputs = form.matchAll(/<input type="hidden" name="([^"]*)" value="([^"]*)">/g);
  return Object.fromEntries([...inputs].map(([, name = '', value = '']) => [name, value]));
}
