import { CrmFault } from '../domain/ports.ts';
import { maySendOn } from './addresses.ts';
import { multistatusReader } from './multistatus.ts';
import { contactsMax } from './remote-contacts.ts';

export const notCardDav = 'It answered with something that is not CardDAV.';

export type DavServer = { ask: typeof fetch; authorization: string };

export type DavRequest = { method: 'PROPFIND' | 'REPORT'; url: URL; depth: '0' | '1'; body: string };

/** What the server says of one thing it has. */
export type DavResponse = {
  href: string;
  /** The href as an address; null where it can't be one. */
  url: URL | null;
  /** 200 where it says none: then what it has is told by its properties. */
  status: number;
  /** Those that it has. */
  properties: Map<string, string[]>;
};

/** An answer that is no multistatus. */
export class DavFault extends CrmFault {
  readonly status: number;

  constructor(status: number, message: string) {
    super(message);
    this.status = status;
  }
}

const redirectsMax = 5;
/** What is in the address book, and what it may say of itself. */
const responsesMax = contactsMax + 100;

/** What a server answers, thing by thing as it comes. Who reads it lets other work go on between two chunks of it. */
export async function* askDav(server: DavServer, request: DavRequest, until: AbortSignal): AsyncGenerator<DavResponse> {
  const { answer, url } = await exchange(server, request, until);
  if (answer.status !== 207 || !/xml/i.test(answer.headers.get('content-type') ?? '') || !answer.body) {
    await answer.body?.cancel();
    throw new DavFault(answer.status, refusalOf(answer.status, url));
  }
  const reader = multistatusReader();
  let count = 0;
  for await (const text of answer.body.pipeThrough(new TextDecoderStream())) {
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
    const answer = await server.ask(at, {
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
    const location = [301, 302, 307, 308].includes(answer.status) ? answer.headers.get('location') : null;
    if (location === null) return { answer, url: at };
    await answer.body?.cancel();
    const next = URL.parse(location, at.href);
    if (!next || !maySendOn(at, next)) throw new CrmFault('It redirects to another server.');
    if (count >= redirectsMax) throw new CrmFault('It redirects too often.');
    at = next;
  }
}

function refusalOf(status: number, { origin, pathname }: URL): string {
  if (status === 401 || status === 403) return 'It refuses the user name or password.';
  if (status === 404 || status === 405 || status === 410) return `There is no address book at ${origin}${pathname}.`;
  if (status === 429) return 'It is asked too often: it answered 429.';
  if (status >= 500) return `It is out of order: it answered ${status}.`;
  return notCardDav;
}
