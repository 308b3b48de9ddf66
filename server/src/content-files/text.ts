import { Parser } from 'htmlparser2';

/** Elements within a line of text; all others end a word. */
const inline = new Set(
  'a abbr acronym b bdi bdo big cite code data del dfn em font i ins kbd mark q s samp small span strike strong sub sup time tt u var wbr'.split(
    ' ',
  ),
);
const unread = new Set(['script', 'style', 'template', 'noscript', 'head', 'svg', 'math', 'object', 'iframe']);
/** More markup than this before enough text has come is not text: an image written into the page, a tower of tags. */
const htmlCharactersMax = 200_000;
/** With the white space and the invisible characters between them. */
const charactersPerCodePointMax = 10;
const depthMax = 256;
const sliceCharacters = 4096;

/** What a browser would show of a piece of HTML, in one line: all of it or, where it is long, more than that many code points. */
export function plainText(html: string, codePointsMax: number): string {
  let text = '';
  let depth = 0;
  let unreadDepth = 0;
  const parser = new Parser({
    onopentag(name) {
      depth += 1;
      if (unread.has(name)) unreadDepth += 1;
      if (!isInline(name)) text += ' ';
    },
    onclosetag(name) {
      depth -= 1;
      if (unread.has(name)) unreadDepth -= 1;
      if (!isInline(name)) text += ' ';
    },
    ontext(data) {
      if (unreadDepth === 0) text += data;
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

/** White space and what can't be seen folded to single spaces: what is left can stand in a list of results. */
export function inOneLine(text: string): string {
  return text
    .toWellFormed()
    .replace(/[\s\p{Cc}\u00ad\u200b\u2060\ufeff]+/gu, (run) => (/[\s\p{Cc}]/u.test(run) ? ' ' : ''))
    .trim();
}

/** Cut at the end of a word, or where a word is that long within it, with a sign that it is. */
export function shortened(text: string, codePointsMax: number): string {
  const codePoints = [...text];
  if (codePoints.length <= codePointsMax) return text;
  const cut = codePoints.slice(0, codePointsMax).join('');
  const end = cut.search(/\s\S*$/u);
  const kept = end > cut.length / 2 ? cut.slice(0, end) : codePoints.slice(0, codePointsMax - 1).join('');
  return `${kept.replace(/[\s,;:.–—-]+$/u, '')}…`;
}
