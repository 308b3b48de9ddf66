import { rooms, segmentsOf } from '../../../server/src/domain/texting/segments.ts';

export { segmentsOf };

/** Characters that word processors and phones put in by themselves, and the plain ones that texts have room for. */
const plain: Record<string, string> = {
  '’': "'",
  '‘': "'",
  '‚': ',',
  '“': '"',
  '”': '"',
  '„': '"',
  '«': '"',
  '»': '"',
  '–': '-',
  '—': '-',
  '‑': '-',
  '−': '-',
  '…': '...',
  '•': '-',
  '·': '-',
  '\u00a0': ' ',
  '\u202f': ' ',
  '\u2009': ' ',
  '\t': ' ',
  '`': "'",
  '´': "'",
  '×': 'x',
  '™': '(TM)',
  '®': '(R)',
  '©': '(c)',
};
const names: Record<string, string> = {
  '’': 'curly apostrophe',
  '‘': 'curly apostrophe',
  '“': 'curly quote',
  '”': 'curly quote',
  '–': 'long dash',
  '—': 'long dash',
  '…': 'ellipsis',
  '\u00a0': 'non-breaking space',
  '\u202f': 'narrow space',
  '\t': 'tab',
};

export type Count = {
  used: number;
  room: number;
  segments: number;
  encoding: 'GSM-7' | 'UCS-2';
  /** The characters that need the longer encoding, as people know them. */
  special: { character: string; name: string }[];
  /** The same text with plain characters, if that makes it shorter. */
  plainer: { text: string; segments: number } | null;
};

const graphemes = new Intl.Segmenter('en', { granularity: 'grapheme' });

export function countText(text: string): Count {
  const { encoding, segments } = segmentsOf(text);
  const { alone, joined } = rooms[encoding];
  const used = encoding === 'GSM-7' ? text.length + (text.match(/[[\\\]^{|}~€]/g)?.length ?? 0) : text.length;
  const room = segments === 1 ? alone : joined * segments;
  if (encoding === 'GSM-7') return { used, room, segments, encoding, special: [], plainer: null };
  return { used, room, segments, encoding, special: specialsIn(text), plainer: plainerThan(text, segments) };
}

function specialsIn(text: string): Count['special'] {
  const found = new Set<string>();
  for (const { segment } of graphemes.segment(text)) if (segmentsOf(segment).encoding === 'UCS-2') found.add(segment);
  return Array.from(found, (character) => ({ character, name: names[character] ?? character }));
}

function plainerThan(text: string, segments: number): Count['plainer'] {
  const changed = Array.from(text, (character) => plain[character] ?? character).join('');
  const fewer = segmentsOf(changed).segments;
  return fewer < segments ? { text: changed, segments: fewer } : null;
}
