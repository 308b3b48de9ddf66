import { Parser } from 'htmlparser2';
import { CrmFault } from '../domain/ports.ts';

/**
 * Reads the XML of a WebDAV answer as it comes. A library that builds a tree of it first stops everything else for 0.4 s
 * where it lists 10,000 cards, and for two minutes where 0.7 MB of it are made to be slow.
 */
export type MultistatusReader = {
  read(text: string): Told[];
  /** Whether its end has come. */
  isComplete(): boolean;
};

export type Told = { href: string; status: number; properties: Map<string, string[]> };

const response = 'multistatus/response';
const property = `${response}/propstat/prop`;
/** What is read, each with how much of it at most; whatever else there is goes by. */
const charactersMax = new Map([
  [`${response}/href`, 4_000],
  [`${response}/status`, 100],
  [`${response}/propstat/status`, 100],
  [`${property}/getetag`, 1_000],
  // One more than a card may have, so that it is seen to be too large.
  [`${property}/address-data`, 1024 * 1024 + 1],
  [`${property}/resourcetype/collection`, 0],
  [`${property}/resourcetype/addressbook`, 0],
  [`${property}/current-user-principal/href`, 4_000],
  [`${property}/addressbook-home-set/href`, 4_000],
]);
/** Those and what they are in. */
const onTheWay = new Set(
  [...charactersMax.keys()].flatMap((path) => [...path.matchAll(/\/|$/g)].map(({ index }) => path.slice(0, index))),
);
const elsewhere = '';
const depthMax = 32;

export function multistatusReader(): MultistatusReader {
  const open: string[] = [];
  let told: Told[] = [];
  let current: Told = nothing();
  let propstat: { status: string; properties: [string, string][] } = { status: '', properties: [] };
  let text = '';
  let room = 0;
  let complete = false;

  const parser = new Parser(
    {
      onopentagname(name) {
        if (open.length >= depthMax) throw new CrmFault('Its answer is nested too deeply.');
        // Prefixes are each server's own; the names alone tell what is what.
        const local = name.slice(name.lastIndexOf(':') + 1);
        const full = open.length === 0 ? local : `${open.at(-1)}/${local}`;
        const path = onTheWay.has(full) ? full : elsewhere;
        open.push(path);
        text = '';
        room = charactersMax.get(path) ?? 0;
        if (path === response) current = nothing();
        if (path === `${response}/propstat`) propstat = { status: '', properties: [] };
      },
      ontext(more) {
        if (room === 0) return;
        text += more.slice(0, room);
        room = Math.max(0, room - more.length);
      },
      onclosetag() {
        const path = open.pop() ?? '';
        if (charactersMax.has(path)) take(path, text.trim());
        else if (path === `${response}/propstat`) keep();
        else if (path === response) told.push(current);
        else if (path === 'multistatus') complete = true;
        room = 0;
      },
      onprocessinginstruction(name) {
        if (/^!doctype/i.test(name)) throw new CrmFault('Its answer has a document type, which CardDAV has not.');
      },
    },
    { xmlMode: true },
  );

  function take(path: string, value: string): void {
    if (path === `${response}/href`) current.href = value;
    else if (path === `${response}/status`) current.status = statusOf(value);
    else if (path === `${response}/propstat/status`) propstat.status = value;
    else propstat.properties.push([path.slice(property.length + 1), value]);
  }

  /** A property that a thing has not comes with a status that says so. */
  function keep(): void {
    const status = statusOf(propstat.status);
    if (status < 200 || status > 299) return;
    for (const [name, value] of propstat.properties) {
      const values = current.properties.get(name);
      if (values) values.push(value);
      else current.properties.set(name, [value]);
    }
  }

  return {
    read(more) {
      told = [];
      parser.write(more);
      return told;
    },
    isComplete: () => complete,
  };
}

function nothing(): Told {
  return { href: '', status: 200, properties: new Map() };
}

/** HTTP/1.1 404 Not Found */
function statusOf(line: string): number {
  return Number(/^\S+ (\d{3})\b/.exec(line)?.[1] ?? 200);
}
