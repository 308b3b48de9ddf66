import { Parser } from 'htmlparser2';

/** Inline elements; all others end a word. */
const inline = new Set(
  'a abbr acronym b bdi bdo big cite code data del dfn em font i ins kbd mark q s samp small span strike strong sub sup time tt u var wbr'.split(
    ' ',
  ),
);
const hidden = new Set(['script', 'style', 'template', 'noscript', 'head', 'svg', 'math', 'object', 'iframe']);
/** More markup than this is no text but, for example, an inlined image or deeply nested tags. */
const htmlCharactersMax = 200_000;
/** Including white space and invisible characters. */
const charactersPerCodePointMax = 10;
const depthMax = 256;
const sliceCharacters = 4096;

/** HTML as the text that a browser shows, in one line. Of a long text, at least that many code points. */
export function plainText(html: string, codePointsMax: number): string {
  let text = '';
  let depth = 0;
  let hiddenDepth = 0;
  const parser = new Parser({
    onopentag(name) {
      depth += 1;
      if (hidden.has(name)) hiddenDepth += 1;
      if (!isInline(name)) text += ' ';
    },
    onclosetag(name) {
      depth -= 1;
      if (hidden.has(name)) hiddenDepth -= 1;
      if (!isInline(name)) text += ' ';
    },
    ontext(data) {
      if (hiddenDepth === 0) text += data;
    },
  });
  const enough = () => depth > depthMax || text.length > codePointsMax * charactersPerCodePointMax;
  for (let at = 0; at < Math.min(html.length, htmlCharactersMax) && !enough(); at += sliceCharacters)
    parser.write(html.slice(at, at + sliceCharacters));
  parser.end();
  return inOneLine(text);
}

export function isInline(element: string): boolean {
  return inline.has(element);
}

/** Collapses white space into single spaces and drops invisible characters, for a list of results. */
export function inOneLine(text: string): string {
  return text
    .toWellFormed()
    .replace(/[\s\p{Cc}\u00ad\u200b\u2060\ufeff]+/gu, (run) => (/[\s\p{Cc}]/u.test(run) ? ' ' : ''))
    .trim();
}

/** Cuts at the end of a word, or within a very long word, and adds an ellipsis. */
export function shortened(text: string, codePointsMax: number): string {
  const codePoints = [...text];
  if (codePoints.length <= codePointsMax) return text;
  const cut = codePoints.slice(0, codePointsMax).join('');
  const end = cut.search(/\s\S*$/u);
  const kept = end > cut.length / 2 ? cut.slice(0, end) : codePoints.slice(0, codePointsMax - 1).join('');
  return `${kept.replace(/[\s,;:.–—-]+$/u, '')}…`;
}
