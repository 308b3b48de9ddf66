import { existsSync, globSync, readFileSync } from 'node:fs';
import { posix } from 'node:path';
import { fileURLToPath } from 'node:url';
import { Marked, type Token, type Tokens } from 'marked';
import { highlighted } from '../browser/highlight.ts';
import { Html, html } from '../browser/page.ts';

/** A page of the guides: its Markdown, and what is below the bar. */
type Guide = { path: string; title: string; markdown: string; content: string };
/** A part of a page, for the search. */
type GuidePart = { id: string; title: string; page: string; text: string };
export type Guides = { guides: Guide[]; parts: GuidePart[]; llms: string };

/** The packed server brings them along. */
const [brought, ours] = ['../../docs/', '../../../../docs/'].map((path) =>
  fileURLToPath(new URL(path, import.meta.url)),
);
const folder = String(existsSync(`${brought}README.md`) ? brought : ours);
/** Where the guides say that the sandbox is. */
const usualUrl = 'http://localhost:8080';

/** Every page of docs/, in the order of its README.md, which is also the navigation. */
export function readGuides(publicUrl = usualUrl): Guides {
  const sources = new Map(
    globSync('**/*.md', { cwd: folder })
      .sort()
      .map((file) => [file, readFileSync(`${folder}${file}`, 'utf8').replaceAll(usualUrl, publicUrl)]),
  );
  const navigation = navigationIn(sources.get('README.md') ?? '');
  const parts: GuidePart[] = [];
  const guides = [...sources].map(([file, markdown]) => {
    const path = pathOf(file);
    const { title, headings, body } = draw(file, markdown, sources, parts);
    const content = html`<div class="docs">${sidebar(navigation, path)}
<main>
<div class="page-tools"><a class="button small" href="${path}.md" data-copy-markdown>Copy as Markdown</a></div>
<article>${new Html(body)}</article>
${onward(navigation, path)}
</main>
${onThisPage(headings)}
</div>`;
    const absolute = markdown.replaceAll(/\]\(([^)\s]+)\)/g, (link, href) => {
      const target = targetOf(file, href, sources);
      return target?.startsWith('/docs') ? `](${publicUrl}${target.replace(/(#.*)?$/, '.md$1')})` : link;
    });
    return { path, title, markdown: absolute, content: content.toString() };
  });
  return { guides, parts, llms: llms(navigation, publicUrl) };
}

type Entry = { title: string; path: string };
type Section = { title: string; entries: Entry[] };
type Heading = { depth: number; text: string; id: string };

/** The links below each heading, in order. */
function navigationIn(readme: string): Section[] {
  return readme
    .split(/^## /m)
    .slice(1)
    .map((section) => {
      const [title = '', ...lines] = section.split('\n');
      const links = lines.join('\n').matchAll(/\[([^\]]+)\]\((?!\.\.)([^)#:]+\.md)\)/g);
      const entries = [...links].map(([, name = '', file = '']) => ({ title: capitalized(name), path: pathOf(file) }));
      return { title, entries };
    })
    .filter(({ entries }) => entries.length > 0);
}

/** `partners/start.md` is at `/docs/partners/start`, and `README.md` at its folder. */
function pathOf(file: string): string {
  return posix.join('/docs', file.replace(/(^|\/)README\.md$/, '').replace(/\.md$/, '')).replace(/\/$/, '');
}

function draw(file: string, markdown: string, sources: Map<string, string>, parts: GuidePart[]) {
  const path = pathOf(file);
  const headings: Heading[] = [];
  const marked = new Marked({
    extensions: [codeGroup],
    renderer: {
      heading({ tokens, depth }) {
        const heading = headings.shift();
        return `<h${depth} id="${heading?.id}">${this.parser.parseInline(tokens)}<a class="anchor" href="#${heading?.id}" aria-label="Link to this part">#</a></h${depth}>\n`;
      },
      code({ text, lang = '' }) {
        return block(text, lang).toString();
      },
      link({ href, tokens }) {
        const text = this.parser.parseInline(tokens);
        const target = targetOf(file, href, sources);
        return target === null ? text : `<a href="${target}">${text}</a>`;
      },
      table(token) {
        const drawn = drawTable(token, (cell) => this.parser.parseInline(cell.tokens));
        return `<div class="scroll" tabindex="0" role="group" aria-label="Table">${drawn}</div>`;
      },
      // What `npm run generate` writes stands between comments.
      html: ({ text }) => (text.startsWith('<!--') ? '' : html`${text}`.toString()),
    },
  });
  const tokens = marked.lexer(markdown);
  const found = headingsIn(tokens);
  headings.push(...found);
  const title = found[0]?.text ?? path;
  parts.push(...partsOf(path, title, tokens, found));
  return { title, headings: found, body: marked.parser(tokens) };
}

function headingsIn(tokens: Token[]): Heading[] {
  const counts = new Map<string, number>();
  return tokens.filter(isHeading).map(({ text, depth }) => {
    const plain = plainOf(text);
    const anchor = anchorOf(plain);
    const count = counts.get(anchor) ?? 0;
    counts.set(anchor, count + 1);
    return { depth, text: plain, id: count === 0 ? anchor : `${anchor}-${count}` };
  });
}

function isHeading(token: Token): token is Tokens.Heading {
  return token.type === 'heading';
}

/** As GitHub makes them. */
function anchorOf(heading: string): string {
  return heading
    .toLowerCase()
    .replace(/[^\p{L}\p{N}\s_-]/gu, '')
    .replaceAll(/\s/g, '-');
}

function plainOf(markdown: string): string {
  return markdown.replace(/\[([^\]]*)\]\([^)]*\)/g, '$1').replace(/[`*]/g, '');
}

/** A page in pieces: each heading with what is below it. */
function partsOf(path: string, page: string, tokens: Token[], headings: Heading[]): GuidePart[] {
  const parts: GuidePart[] = [];
  for (const token of tokens) {
    const heading = isHeading(token) ? headings[parts.length] : undefined;
    if (heading) parts.push({ id: `${path}#${heading.id}`, title: heading.text, page, text: '' });
    const part = parts.at(-1);
    if (part && !heading) part.text += `${plainOf(token.raw).replaceAll(/[|#>\s-]+/g, ' ')} `;
  }
  return parts;
}

/** The address of a link, or null if what it leads to is only in the repository. */
function targetOf(file: string, href: string, sources: Map<string, string>): string | null {
  if (/^(https?:|#)/.test(href)) return href;
  const [target = '', anchor] = href.split('#');
  const linked = posix.join(posix.dirname(file), target);
  if (linked === '../openapi.json') return '/openapi.json';
  return sources.has(linked) ? `${pathOf(linked)}${anchor ? `#${anchor}` : ''}` : null;
}

const codeGroup = {
  name: 'code-group',
  level: 'block' as const,
  start: (source: string) => source.match(/^::: code-group/m)?.index,
  tokenizer(source: string) {
    const [raw, inside = ''] = /^::: code-group\n([\s\S]*?)\n:::(?:\n|$)/.exec(source) ?? [];
    if (raw === undefined) return undefined;
    const blocks = [...inside.matchAll(/^```([^\n]*)\n([\s\S]*?)\n```$/gm)];
    return { type: 'code-group', raw, blocks: blocks.map(([, lang = '', text = '']) => ({ lang, text })) };
  },
  renderer: ({ blocks }: Tokens.Generic) => group(blocks).toString(),
};

type Block = { lang: string; text: string };
let groups = 0;

/** Code in several languages: a choice shows one of them. */
function group(blocks: Block[]): Html {
  const name = `group-${groups++}`;
  const tab = ({ lang }: Block, index: number) => {
    const title = /\[(.+)\]/.exec(lang)?.[1] ?? lang;
    return html`<label><input type="radio" name="${name}" value="${title}"${index === 0 && html` checked`}>${title}</label>`;
  };
  return html`<div class="group">
<div class="tabs choice" role="radiogroup" aria-label="Language">${blocks.map(tab)}</div>
${blocks.map(({ lang, text }) => block(text, lang))}
</div>
`;
}

/** The fence says its language, and in a group its title in brackets. */
function block(text: string, lang: string): Html {
  const [language = ''] = lang.split(' ');
  return html`<div class="block"><pre tabindex="0"><code>${highlighted(text, language)}</code></pre></div>\n`;
}

function drawTable({ header, rows }: Tokens.Table, inline: (cell: Tokens.TableCell) => string): string {
  const head = header.map((cell) => `<th>${inline(cell)}</th>`).join('');
  // On a phone, where the cells of a row stand below each other, each says its column.
  const cells = (row: Tokens.TableCell[]) =>
    row.map((cell, index) => `<td${html` data-column="${header[index]?.text ?? ''}"`}>${inline(cell)}</td>`).join('');
  const body = rows.map((row) => `<tr>${cells(row)}</tr>`).join('\n');
  return `<table><thead><tr>${head}</tr></thead><tbody>${body}</tbody></table>`;
}

function sidebar(navigation: Section[], path: string): Html {
  const link = ({ title, path: href }: Entry) =>
    html`<li><a href="${href}"${href === path && html` aria-current="page"`}>${title}</a></li>`;
  return html`<button class="button small contents-button" type="button" popovertarget="contents">Contents</button>
<nav class="contents panel" id="contents" popover aria-label="Guides">
<ul>${link({ title: 'Overview', path: '/docs' })}${link({ title: 'API reference', path: '/docs/reference' })}</ul>
${navigation.map(({ title, entries }) => html`<p class="label">${title}</p>\n<ul>${entries.map(link)}</ul>`)}
</nav>`;
}

function onThisPage(headings: Heading[]): Html {
  const shown = headings.filter(({ depth }) => depth === 2);
  return html`<nav class="on-this-page" aria-label="On this page"${shown.length < 2 && html` hidden`}><p class="label">On this page</p>
<ul>${shown.map(({ text, id }) => html`<li><a href="#${id}">${text}</a></li>`)}</ul></nav>`;
}

/** The pages before and after this one in its section. */
function onward(navigation: Section[], path: string): Html | null {
  const entries = navigation.find((section) => section.entries.some((entry) => entry.path === path))?.entries ?? [];
  const here = entries.findIndex((entry) => entry.path === path);
  const [before, after] = here < 0 ? [] : [entries[here - 1], entries[here + 1]];
  if (!before && !after) return null;
  return html`<nav class="onward" aria-label="Next and previous">
${before && html`<a href="${before.path}" rel="prev"><small>Previous</small>${before.title}</a>`}
${after && html`<a href="${after.path}" rel="next"><small>Next</small>${after.title}</a>`}
</nav>`;
}

/** The guides for programs that read: llmstxt.org. */
function llms(navigation: Section[], publicUrl: string): string {
  const sections = navigation.map(
    ({ title, entries }) =>
      `## ${title}\n\n${entries.map(({ title, path }) => `- [${title}](${publicUrl}${path}.md)`).join('\n')}\n`,
  );
  return `# Assent

> Assent sends texts for financial advisors from a partner's application. It asks for consent, refuses what may not be sent, and archives every word.

Every endpoint: [openapi.json](${publicUrl}/openapi.json). Each page is also at its address without \`.md\`.

${sections.join('\n')}`;
}

function capitalized(text: string): string {
  return `${text.charAt(0).toUpperCase()}${text.slice(1)}`;
}
