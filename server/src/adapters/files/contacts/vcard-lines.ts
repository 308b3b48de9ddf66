import { isUtf8 } from 'node:buffer';

/** A property of a card: `item1.TEL;TYPE=CELL:212-555-0123`. Its value is decoded, but still has its escapes. */
export type Property = { name: string; group: string; parameters: Record<string, string[]>; value: string };

/** The properties with these names, in versions 2.1 to 4.0; null if a line is none. */
export function readProperties(lines: string[], wanted: ReadonlySet<string>): Property[] | null {
  const properties: Property[] = [];
  let isBinary = false;
  for (let at = 0; at < lines.length; at++) {
    let line = lines[at] ?? '';
    while (/^[ \t]/.test(lines[at + 1] ?? '')) line += (lines[++at] ?? '').slice(1);
    if (line.trim() === '') continue;
    const end = /^[a-z0-9.-]*/i.exec(line)?.[0].length ?? 0;
    const colon = end === 0 ? -1 : valueStart(line, end);
    // Some programs don't indent the lines of a photo.
    if (colon < 0 && isBinary) continue;
    if (colon < 0) return null;
    const header = line.slice(end, colon);
    isBinary = /;(encoding=)?b(ase64)?(;|$)/i.test(header);
    const isQuoted = /;(encoding=)?quoted-printable(;|$)/i.test(header);
    // A quoted-printable value goes on after `=` at the end of a line.
    if (isQuoted && line.endsWith('=')) {
      const parts = [line];
      while (parts.at(-1)?.endsWith('=') && at + 1 < lines.length) parts.push(lines[++at] ?? '');
      line = parts.map((part, index) => (index < parts.length - 1 ? part.slice(0, -1) : part)).join('');
    }
    const [name = '', group = ''] = line.slice(0, end).toLowerCase().split('.').reverse();
    if (!wanted.has(name)) continue;
    const parameters = readParameters(header.slice(1));
    const value = line.slice(colon + 1);
    properties.push({ name, group, parameters, value: isQuoted ? unquoted(value, parameters.charset?.[0]) : value });
  }
  return properties;
}

/** The parts of a structured value: `Smith;Ann;;;`. */
export function partsOf(value: string): string[] {
  return split(value, ';').map(unescaped);
}

/** The items of a list: `Clients,Friends`. */
export function itemsOf(value: string): string[] {
  return split(value, ',').map(unescaped);
}

export function unescaped(value: string): string {
  return value.includes('\\')
    ? value.replace(/\\([\\,;:nN])/g, (_, character) => (/n/i.test(character) ? '\n' : character))
    : value;
}

/** The colon before the value; one within quotation marks is part of a parameter. */
function valueStart(line: string, from: number): number {
  let isQuoted = false;
  for (let at = from; at < line.length; at++) {
    if (line[at] === '"') isQuoted = !isQuoted;
    else if (line[at] === ':' && !isQuoted) return at;
    else if (at === from && line[at] !== ';') return -1;
  }
  return -1;
}

/** By their names in lower case. What has no name is a type, as in `TEL;CELL;VOICE`. */
function readParameters(text: string): Record<string, string[]> {
  const parameters: Record<string, string[]> = Object.create(null);
  for (const each of text === '' ? [] : outsideQuotes(text, ';')) {
    const equals = each.indexOf('=');
    const name = equals < 0 ? 'type' : each.slice(0, equals).toLowerCase();
    parameters[name] ??= [];
    for (const value of outsideQuotes(each.slice(equals + 1), ','))
      parameters[name].push(...value.replaceAll('"', '').split(','));
  }
  return parameters;
}

function outsideQuotes(text: string, separator: ';' | ','): string[] {
  if (!text.includes('"')) return text.split(separator);
  return text.match(separator === ';' ? /(?:"[^"]*"?|[^";])+/g : /(?:"[^"]*"?|[^",])+/g) ?? [];
}

/** At separators that no backslash stands before. */
function split(value: string, separator: ';' | ','): string[] {
  if (!value.includes('\\')) return value.split(separator);
  const parts: string[] = [];
  let start = 0;
  for (let at = 0; at < value.length; at++) {
    if (value[at] === '\\') at += 1;
    else if (value[at] === separator) {
      parts.push(value.slice(start, at));
      start = at + 1;
    }
  }
  return [...parts, value.slice(start)];
}

/** Quoted-printable bytes, in the character set that the property names. */
function unquoted(value: string, charset: string | undefined): string {
  const quoted = value.replace(/[\u0080-\u{10ffff}]/gu, (each) =>
    Buffer.from(each).toString('hex').replace(/../g, '=$&'),
  );
  const plain = quoted.replace(/=([0-9a-f]{2})/gi, (_, hex) => String.fromCharCode(Number.parseInt(hex, 16)));
  const bytes = Buffer.from(plain, 'latin1');
  return decoderOf(charset, bytes).decode(bytes);
}

function decoderOf(charset: string | undefined, bytes: Buffer): TextDecoder {
  try {
    if (charset) return new TextDecoder(charset);
  } catch {}
  return new TextDecoder(isUtf8(bytes) ? 'utf-8' : 'windows-1252');
}
