import { Parser } from 'htmlparser2';
import { summaryCodePointsMax, titleCodePointsMax } from './listings.ts';
import { inOneLine, shortened } from './text.ts';

/** A web page's own title and description. */
export type WebPageHead = { title: string; summary: string | null };

const titleNames = ['og:title', 'twitter:title'];
const summaryNames = ['description', 'og:description', 'twitter:description'];
const wanted = new Set([...titleNames, ...summaryNames]);
const depthMax = 256;
const textCharactersMax = 10_000;
const sliceCharacters = 16 * 1024;

/** Reads the head of an HTML document, which may be cut off. */
export function readWebPageHead(html: string): WebPageHead {
  const metas = new Map<string, string>();
  let title = '';
  let titles = 0;
  let inTitle = false;
  let depth = 0;
  let done = false;
  const parser = new Parser({
    onopentag(name, { name: metaName, property, content }) {
      depth += 1;
      inTitle = name === 'title' && titles === 0;
      // An SVG has a title too: only what comes before the body counts.
      if (name === 'body' || depth > depthMax) done = true;
      const key = (metaName ?? property ?? '').toLowerCase();
      if (name === 'meta' && !done && content && wanted.has(key) && !metas.has(key))
        metas.set(key, content.slice(0, textCharactersMax));
    },
    ontext(text) {
      if (inTitle && !done && title.length < textCharactersMax) title += text;
    },
    onclosetag(name) {
      depth -= 1;
      if (name === 'title') titles += 1;
      if (name === 'head') done = true;
      inTitle = false;
    },
  });
  for (let at = 0; at < html.length && !done; at += sliceCharacters) parser.write(html.slice(at, at + sliceCharacters));
  parser.end();
  const first = (names: string[]) => names.map((name) => inOneLine(metas.get(name) ?? '')).find(Boolean) ?? '';
  return {
    title: shortened(inOneLine(title) || first(titleNames), titleCodePointsMax),
    summary: shortened(first(summaryNames), summaryCodePointsMax) || null,
  };
}
