import type { App } from '../../src/app.ts';

export type Visit = { status: number; location: string | undefined; html: string; headers: Record<string, unknown> };

/** A browser without a window: it keeps cookies by path, and fills in and sends the forms of a page. */
export class Visitor {
  readonly #place: App | string;
  readonly #headers: Record<string, string>;
  readonly #cookies = new Map<string, Cookie>();

  /** At an app, without a socket; or at the address of a server. The headers go with each of its requests. */
  constructor(place: App | string, headers: Record<string, string> = {}) {
    this.#place = place;
    this.#headers = headers;
  }

  async open(url: string): Promise<Visit> {
    return this.#send('GET', url);
  }

  /** Sends the form of a page whose action is that, with its hidden fields and those given. */
  async submit(page: Visit, action: string, fields: Record<string, string>): Promise<Visit> {
    const form = new URLSearchParams({ ...hiddenFields(page.html, action), ...fields });
    return this.#send('POST', action, form.toString());
  }

  /** What it keeps, as it would send it to that path. */
  cookies(path: string): string {
    const sent = [...this.#cookies.values()].filter((cookie) => isWithin(path, cookie.path));
    return sent.map(({ name, value }) => `${name}=${value}`).join('; ');
  }

  async #send(method: 'GET' | 'POST', url: string, payload?: string): Promise<Visit> {
    const headers = {
      cookie: this.cookies(new URL(url, 'http://localhost').pathname),
      ...this.#headers,
      ...(payload === undefined ? {} : { 'content-type': 'application/x-www-form-urlencoded' }),
    };
    const { setCookies, ...visit } = await (typeof this.#place === 'string'
      ? fetched(new URL(url, this.#place), { method, headers, body: payload })
      : injected(this.#place, { method, url, headers, payload }));
    for (const cookie of setCookies.map(readCookie)) {
      const key = `${cookie.name} ${cookie.path}`;
      if (cookie.value === '') this.#cookies.delete(key);
      else this.#cookies.set(key, cookie);
    }
    return visit;
  }
}

type Cookie = { name: string; value: string; path: string };
type Answered = Visit & { setCookies: string[] };
type Sent = { method: 'GET' | 'POST'; url: string; headers: Record<string, string>; payload: string | undefined };

async function injected(app: App, { payload, ...request }: Sent): Promise<Answered> {
  const response = await app.inject({ ...request, ...(payload === undefined ? {} : { payload }) });
  const { headers, statusCode: status, body: html } = response;
  const setCookies = [headers['set-cookie'] ?? []].flat();
  return { status, location: headers.location?.toString(), html, headers, setCookies };
}

async function fetched(url: URL, init: RequestInit): Promise<Answered> {
  const response = await fetch(url, { ...init, redirect: 'manual' });
  const { headers, status } = response;
  const location = headers.get('location') ?? undefined;
  return {
    status,
    location,
    html: await response.text(),
    headers: Object.fromEntries(headers),
    setCookies: headers.getSetCookie(),
  };
}

function readCookie(text: string): Cookie {
  const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(text) ?? [];
  const [, path = '/'] = /;\s*path=([^;]+)/i.exec(text) ?? [];
  return { name, value, path };
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
