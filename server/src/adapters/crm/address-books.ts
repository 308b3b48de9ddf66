import { CrmFault } from '../../domain/ports.ts';
import { redirectTarget } from './addresses.ts';
import { askDav, DavFault, type DavResponse, type DavServer } from './dav.ts';

const homesMax = 10;
const booksMax = 100;
/** Other addresses on the same server would get the same response. */
const serverWideStatuses = [401, 429, 500, 502, 503, 504];

const aboutAccount = `<?xml version="1.0" encoding="utf-8"?>
<d:propfind xmlns:d="DAV:" xmlns:card="urn:ietf:params:xml:ns:carddav"><d:prop>
<d:resourcetype/><d:current-user-principal/><card:addressbook-home-set/>
</d:prop></d:propfind>`;

const kinds = `<?xml version="1.0" encoding="utf-8"?>
<d:propfind xmlns:d="DAV:"><d:prop><d:resourcetype/></d:prop></d:propfind>`;

/** The address book at this address; or, if it is a server's or an account's address, all of the account's books. */
export async function findAddressBooks(server: DavServer, url: URL, until: AbortSignal): Promise<URL[]> {
  const start = await startAt(server, url, until);
  if (start.properties.has('resourcetype/addressbook')) return [start.url];
  const homes = await homesOf(server, start, until);
  const books: URL[] = [];
  for (const home of homes)
    for await (const each of askDav(server, { method: 'PROPFIND', url: home, depth: '1', body: kinds }, until))
      if (each.url && each.properties.has('resourcetype/addressbook') && books.length < booksMax)
        books.push(redirectTarget(home, each.url));
  if (books.length === 0) throw new CrmFault('The account has no address book.');
  return books;
}

type Start = { url: URL; properties: DavResponse['properties'] };

/** Asks about the address; if it has no path, also about the well-known one (RFC 6764). */
async function startAt(server: DavServer, url: URL, until: AbortSignal): Promise<Start> {
  let fault: DavFault | undefined;
  for (const each of url.pathname === '/' ? [url, new URL('/.well-known/carddav', url)] : [url])
    try {
      const start = await about(server, each, until);
      if (isUseful(start)) return start;
    } catch (error) {
      if (!(error instanceof DavFault) || serverWideStatuses.includes(error.status)) throw error;
      fault ??= error;
    }
  throw fault ?? new CrmFault(`There is no address book at ${url.origin}${url.pathname}.`);
}

async function about(server: DavServer, url: URL, until: AbortSignal): Promise<Start> {
  for await (const { url: at, properties } of askDav(
    server,
    { method: 'PROPFIND', url, depth: '0', body: aboutAccount },
    until,
  ))
    return { url: at ? redirectTarget(url, at) : url, properties };
  throw new DavFault(207, `There is nothing at ${url.origin}${url.pathname}.`);
}

function isUseful({ properties }: Start): boolean {
  return (
    properties.has('resourcetype/addressbook') ||
    properties.has('addressbook-home-set/href') ||
    properties.has('current-user-principal/href')
  );
}

async function homesOf(server: DavServer, start: Start, until: AbortSignal): Promise<URL[]> {
  const [principal] = hrefs(start, 'current-user-principal/href');
  const whose =
    start.properties.has('addressbook-home-set/href') || !principal ? start : await about(server, principal, until);
  return hrefs(whose, 'addressbook-home-set/href').slice(0, homesMax);
}

function hrefs({ url, properties }: Start, name: string): URL[] {
  return (properties.get(name) ?? []).map((href) => redirectTarget(url, URL.parse(href, url.href)));
}
