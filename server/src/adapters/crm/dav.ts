import { CrmFault } from '../../domain/ports.ts';
import { redirectTarget } from './addresses.ts';
import { multistatusReader } from './multistatus.ts';
import { contactsMax } from './remote-contacts.ts';

export const notCardDav = 'Its response is not CardDAV.';

export type DavServer = { ask: typeof fetch; authorization: string };

export type DavRequest = { method: 'PROPFIND' | 'REPORT'; url: URL; depth: '0' | '1'; body: string };

/** The server's answer about one resource. */
export type DavResponse = {
  href: string;
  /** The href as an address; null if it isn't one. */
  url: URL | null;
  /** 200 if it has none: then only its properties matter. */
  status: number;
  /** Only those that the resource has. */
  properties: Map<string, string[]>;
};

/** A response that isn't a multistatus. */
export class DavFault extends CrmFault {
  readonly status: number;

  constructor(status: number, message: string) {
    super(message);
    this.status = status;
  }
}

const redirectsMax = 5;
/** The contacts, and what else an address book may list. */
const responsesMax = contactsMax + 100;

/** Yields a server's answer as it arrives, so other work goes on between two chunks. */
export async function* askDav(server: DavServer, request: DavRequest, until: AbortSignal): AsyncGenerator<DavResponse> {
  const { response, url } = await exchange(server, request, until);
  if (response.status !== 207 || !/xml/i.test(response.headers.get('content-type') ?? '') || !response.body) {
    await response.body?.cancel();
    throw new DavFault(response.status, refusalOf(response.status, url));
  }
  const reader = multistatusReader();
  let count = 0;
  for await (const text of response.body.pipeThrough(new TextDecoderStream())) {
    for (const { href, status, properties } of reader.read(text)) {
      count += 1;
      if (count > responsesMax) throw new CrmFault(`It has more than ${contactsMax} contacts.`);
      yield { href, url: URL.parse(href, url.href), status, properties };
    }
  }
  if (!reader.isComplete()) throw new DavFault(207, notCardDav);
}

async function exchange(server: DavServer, { method, url, depth, body }: DavRequest, until: AbortSignal) {
  let at = url;
  for (let count = 0; ; count += 1) {
    const response = await server.ask(at, {
      method,
      headers: {
        authorization: server.authorization,
        depth,
        'content-type': 'application/xml; charset=utf-8',
        accept: 'application/xml, text/xml',
      },
      body,
      signal: until,
      redirect: 'manual',
    });
    const location = [301, 302, 307, 308].includes(response.status) ? response.headers.get('location') : null;
    if (location === null) return { response, url: at };
    await response.body?.cancel();
    if (count >= redirectsMax) throw new CrmFault('It redirects too often.');
    at = redirectTarget(at, URL.parse(location, at.href));
  }
}

function refusalOf(status: number, { origin, pathname }: URL): string {
  if (status === 401 || status === 403) return 'It refuses the user name or password.';
  if (status === 404 || status === 405 || status === 410) return `There is no address book at ${origin}${pathname}.`;
  if (status === 429) return 'It is throttling us: it answered 429.';
  if (status >= 500) return `It has an internal error: it answered ${status}.`;
  return notCardDav;
}
