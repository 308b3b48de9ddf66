import { Parser } from 'htmlparser2';
import { SourceFault } from './faults.ts';
import { isInline } from './text.ts';

/** An element and its text. Names are in lower case, without the root's prefix. */
export type XmlElement = { name: string; attributes: Record<string, string>; text: string };
export type XmlRecord = XmlElement & { children: XmlElement[] };
export type XmlHead = { root: XmlElement /** The site’s address, in a feed’s channel. */; link: string };

/** The parser scans the open elements at every end tag, so reading takes linear time only if nesting is limited. */
const depthMax = 64;
const childrenMax = 500;
const textCharactersMax = 200_000;
const sliceCharacters = 64 * 1024;

type XmlReader = {
  /** The name of the records under this root; throws if the root is unknown. */
  recordName(root: string): string;
  take(record: XmlRecord, head: XmlHead): 'more' | 'enough';
};

/**
 * Reads a document record by record, each with its direct children. It tolerates errors, which feeds often have, but not a
 * document that is cut off. Entities that the document itself defines are not expanded.
 */
export function readXml(document: string, { recordName, take }: XmlReader): void {
  const head: XmlHead = { root: { name: '', attributes: {}, text: '' }, link: '' };
  const open: XmlElement[] = [];
  let record: (XmlRecord & { depth: number }) | null = null;
  let rootPrefix = '';
  let wanted = '';
  let depth = 0;
  let done = false;

  const nameOf = (written: string) => {
    const name = written.toLowerCase();
    return rootPrefix !== '' && name.startsWith(rootPrefix) ? name.slice(rootPrefix.length) : name;
  };
  const parser = new Parser(
    {
      onopentag(written, attributes) {
        depth += 1;
        if (done || depth > depthMax) return;
        if (depth === 1) rootPrefix = /^(?!rdf:).+:/i.exec(written)?.[0].toLowerCase() ?? '';
        const element = { name: nameOf(written), attributes, text: '' };
        open[depth] = element;
        if (depth === 1) {
          head.root = element;
          wanted = recordName(element.name);
        } else if (record === null && element.name === wanted) record = { ...element, children: [], depth };
        else if (record && depth > record.depth + 1 && !isInline(element.name)) addText(' ');
      },
      ontext: addText,
      onclosetag() {
        depth -= 1;
        if (done || depth >= depthMax) return;
        const element = open[depth + 1];
        if (!element) return;
        if (record && depth === record.depth && record.children.length < childrenMax) record.children.push(element);
        else if (record && depth > record.depth && !isInline(element.name)) addText(' ');
        else if (record === null && depth === 2 && element.name === 'link') head.link ||= element.text.trim();
        if (record === null || depth >= record.depth) return;
        if (take(record, head) === 'enough') done = true;
        record = null;
      },
    },
    { xmlMode: true, lowerCaseAttributeNames: true },
  );

  /** The text of a child includes the text of the elements in it. */
  function addText(text: string): void {
    const element = open[record ? Math.min(depth, record.depth + 1) : depth];
    if (element && element.text.length < textCharactersMax) element.text += text;
  }

  for (let at = 0; at < document.length && !done; at += sliceCharacters) {
    parser.write(document.slice(at, at + sliceCharacters));
    if (depth > depthMax) throw new SourceFault('its elements are nested too deeply');
  }
  if (!done && (depth > 0 || head.root.name === '')) throw new SourceFault('it is not XML, or is cut off');
}
