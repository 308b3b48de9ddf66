import type { FuzzRequest } from './client.ts';
import { type Draft, RawText } from './requests.ts';
import { KnownId } from './values.ts';

/** Looks up the id that a draft only names. */
export type Resolve = (id: KnownId) => number;

/** The draft as a request, with real ids; credentials are added when it is sent. */
export function wired(draft: Draft, resolve: Resolve): FuzzRequest {
  const { operation, prefix } = draft;
  const path = operation.path.replace(/\{(\w+)\}/g, (_, name: string) => encoded(resolved(draft.path[name], resolve)));
  const query = draft.query.map(([name, value]) => `${encoded(name)}=${encoded(resolved(value, resolve))}`).join('&');
  const { text, chunked } = bodyText(draft, resolve);
  return {
    method: operation.method,
    url: `${prefix}${path}${query === '' ? '' : `?${query}`}`,
    headers: draft.headers,
    body: Buffer.from(text),
    chunked,
  };
}

function resolved(value: unknown, resolve: Resolve): unknown {
  if (value instanceof KnownId) return resolve(value);
  if (Array.isArray(value)) return value.map((each) => resolved(each, resolve));
  if (typeof value !== 'object' || value === null || value instanceof RawText) return value;
  // Defined, not assigned: a field may be called __proto__.
  const copy = {};
  for (const [name, each] of Object.entries(value))
    Object.defineProperty(copy, name, { value: resolved(each, resolve), enumerable: true, configurable: true });
  return copy;
}

function bodyText({ body }: Draft, resolve: Resolve): { text: string; chunked: boolean } {
  if (body.kind === 'none') return { text: '', chunked: false };
  if (body.kind === 'text') return body;
  const text = body.edits.reduce(
    (edited, { at, remove, insert }) => {
      const place = Math.floor(at * edited.length);
      return edited.slice(0, place) + insert + edited.slice(place + remove);
    },
    JSON.stringify(resolved(body.value, resolve)),
  );
  return { text, chunked: body.chunked };
}

function encoded(value: unknown): string {
  if (value instanceof RawText) return value.text;
  return Array.from(String(value), (character) =>
    character.isWellFormed() ? encodeURIComponent(character) : surrogateBytes(character),
  ).join('');
}

/** A lone surrogate as a careless encoder writes it: bytes that are not UTF-8. */
function surrogateBytes(surrogate: string): string {
  const code = surrogate.charCodeAt(0);
  const bytes = [0xe0 | (code >> 12), 0x80 | ((code >> 6) & 0x3f), 0x80 | (code & 0x3f)];
  return bytes.map((byte) => `%${byte.toString(16)}`).join('');
}
