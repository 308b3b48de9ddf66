import { Parser } from 'htmlparser2';
import { CrmFault } from '../../domain/ports.ts';

type MultistatusResponse = { href: string; status: number; properties: Map<string, string[]> };

const response = 'multistatus/response';
const propstat = `${response}/propstat`;
const property = `${propstat}/prop`;
/** The elements that are read, each with its limit; all others are skipped. */
const charactersMax = new Map([
  [`${response}/href`, 4_000],
  [`${response}/status`, 100],
  [`${propstat}/status`, 100],
  [`${property}/getetag`, 1_000],
  // One more than a card may have, so a card that is too large is noticed.
  [`${property}/address-data`, 1024 * 1024 + 1],
  [`${property}/resourcetype/collection`, 0],
  [`${property}/resourcetype/addressbook`, 0],
  [`${property}/current-user-principal/href`, 4_000],
  [`${property}/addressbook-home-set/href`, 4_000],
]);
/** Those and their ancestors. */
const knownPaths = new Set(
  [...charactersMax.keys()].flatMap((path) => [...path.matchAll(/\/|$/g)].map(({ index }) => path.slice(0, index))),
);
const skipped = '';
const depthMax = 32;
/** Without these two, an answer could take ten times its size of our memory: each property and each entity is an object. */
const propertiesMax = 1_000;
/** The longest tag, comment or CDATA section: more than a card with a large photograph. */
const unreadCharactersMax = 8 * 1024 * 1024;

/**
 * Reads the XML of a WebDAV answer as it arrives. A library that builds a tree first blocks everything else for 0.4 s if the
 * answer lists 10,000 cards, and for two minutes with 0.7 MB that are made to be slow.
 */
export function multistatusReader() {
  const collector = makeCollector();
  const open: string[] = [];
  let text = '';
  let room = 0;
  let complete = false;
  /** How much came since the last tag or text. */
  let unread = 0;

  const parser = new Parser(
    {
      onopentagname(name) {
        if (open.length >= depthMax) throw new CrmFault('Its response is nested too deeply.');
        // Each server chooses its own prefixes; the local names are enough.
        const local = name.slice(name.lastIndexOf(':') + 1);
        const full = open.length === 0 ? local : `${open.at(-1)}/${local}`;
        const path = knownPaths.has(full) ? full : skipped;
        open.push(path);
        unread = 0;
        text = '';
        room = charactersMax.get(path) ?? 0;
        collector.begin(path);
      },
      ontext(more) {
        unread = 0;
        if (room === 0) return;
        text += more.slice(0, room);
        room = Math.max(0, room - more.length);
      },
      onclosetag() {
        const path = open.pop() ?? '';
        collector.end(path, text.trim());
        if (path === 'multistatus') complete = true;
        room = 0;
      },
      onprocessinginstruction(name) {
        if (/^!doctype/i.test(name))
          throw new CrmFault('Its response has a document type, which CardDAV does not allow.');
      },
    },
    { xmlMode: true },
  );

  return {
    read(more: string): MultistatusResponse[] {
      parser.write(more);
      unread += more.length;
      if (unread > unreadCharactersMax) throw new CrmFault('Its response has a tag, a comment or a text without end.');
      return collector.responses.splice(0);
    },
    /** Whether the end was read. */
    isComplete: () => complete,
  };
}

/** Builds responses from elements as they begin and end. */
function makeCollector() {
  const responses: MultistatusResponse[] = [];
  let current = emptyResponse();
  let count = 0;
  let status = '';
  let properties: [string, string][] = [];

  /** Properties that a resource lacks come with a status that says so. */
  function addProperties(): void {
    const code = statusOf(status);
    if (code < 200 || code > 299) return;
    for (const [name, value] of properties) {
      const values = current.properties.get(name);
      if (values) values.push(value);
      else current.properties.set(name, [value]);
    }
  }

  return {
    responses,
    begin(path: string): void {
      if (path === response) [current, count] = [emptyResponse(), 0];
      if (path === propstat) [status, properties] = ['', []];
    },
    end(path: string, value: string): void {
      if (path === response) responses.push(current);
      else if (path === propstat) addProperties();
      else if (path === `${response}/href`) current.href = value;
      else if (path === `${response}/status`) current.status = statusOf(value);
      else if (path === `${propstat}/status`) status = value;
      else if (charactersMax.has(path)) {
        count += 1;
        if (count > propertiesMax) throw new CrmFault('Its response repeats the properties of one resource.');
        properties.push([path.slice(property.length + 1), value]);
      }
    },
  };
}

function emptyResponse(): MultistatusResponse {
  return { href: '', status: 200, properties: new Map() };
}

/** HTTP/1.1 404 Not Found */
function statusOf(line: string): number {
  return Number(/^\S+ (\d{3})\b/.exec(line)?.[1] ?? 200);
}
