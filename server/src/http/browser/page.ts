import type { FastifyInstance, FastifyReply } from 'fastify';
import { pathOf } from '../door/headers.ts';
import { latin, style as ourStyle } from './look.ts';

/** Markup that is safe to show: only `html` makes it, and it escapes every value. */
export class Html {
  readonly #text: string;

  constructor(text: string) {
    this.#text = text;
  }

  toString(): string {
    return this.#text;
  }
}

type Part = Html | string | number | null | undefined | false | Part[];

/** An HTML template: html`<h1>${name}</h1>`. Lists are joined; null, undefined and false are left out. */
export function html(strings: TemplateStringsArray, ...parts: Part[]): Html {
  return new Html(String.raw({ raw: strings }, ...parts.map(render)));
}

/**
 * A page below the bar that all pages share, which knows by the path which section is current. `style.css` has what most
 * pages need: a `main` is a `card` (one question), a `sheet` (to read) or `wide` (to work), with `.button`, `.chip`,
 * `.notice`, `.facts`, `table` and `pre` inside.
 */
type HtmlPage = {
  title: string;
  /** What is below the bar: a `main`. */
  content: Html;
  /** At the end of the bar. */
  tools?: Html | undefined;
  /** Allows our scripts, and their calls to us. */
  scripts?: boolean;
  /** The paths of a module and a style sheet for this page alone. */
  script?: string;
  style?: string;
  /** A style sheet instead of ours. */
  sheet?: string;
  /** Allows styles in elements, for a library that draws its own. */
  styles?: 'inline';
  /** Other origins that its forms may lead to. Chromium checks the redirects after a post too. */
  formTargets?: string[];
  status?: number;
};

type RenderedPage = { html: string; headers: Record<string, string> };

/** Where a page is: its environment, and the path if it has one of its own. */
type PageContext = { environment: string; path?: string };

export function sendPage(reply: FastifyReply, { status = 200, ...content }: HtmlPage): FastifyReply {
  const { html, headers } = page(content, placeOf(reply));
  return reply.code(status).headers(headers).send(html);
}

/** The page with its headers, for code that has no Fastify reply. */
export function page(given: Omit<HtmlPage, 'status'>, place: PageContext): RenderedPage {
  const { title, content, tools, scripts = false, script, style, sheet = ourStyle.path } = given;
  const document = html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${title} · Assent</title>
<link rel="icon" href="/icon.svg" type="image/svg+xml">
<link rel="preload" href="${latin}" as="font" type="font/woff2" crossorigin>
<link rel="stylesheet" href="${sheet}">
${style && html`<link rel="stylesheet" href="${style}">`}
${scripts && html`<script src="/webauthn.js" defer></script>\n<script src="/passkeys.js" type="module"></script>`}
${script && html`<script src="${script}" type="module"></script>`}
</head>
<body>
${bar(place, tools)}
${content}
</body>
</html>
`;
  const headers = {
    'content-type': 'text/html; charset=utf-8',
    'content-security-policy': contentSecurityPolicy(given),
    // No other site learns where a visitor comes from. `no-referrer` would say even less, but then browsers send
    // `Origin: null` with our own forms, and we recognize our forms by their origin.
    'referrer-policy': 'same-origin',
    'cache-control': 'no-store',
    'x-content-type-options': 'nosniff',
  };
  return { html: document.toString(), headers };
}

export type FailurePage = {
  status: number;
  title: string;
  /** What happened, in a sentence or two. */
  message: string;
  /** What to do about it. */
  next: string;
  traceId?: string;
  /** Whether to link to the front page. */
  home?: boolean;
};

/** A page that explains what went wrong and what to do. */
export function errorPage({ status, ...failed }: FailurePage, place: PageContext): RenderedPage & { status: number } {
  return { status, ...page({ title: failed.title, content: failure(failed) }, place) };
}

export function sendErrorPage(reply: FastifyReply, failed: FailurePage): FastifyReply {
  const { status, html, headers } = errorPage(failed, placeOf(reply));
  return reply.code(status).headers(headers).send(html);
}

function placeOf({ server, request }: FastifyReply): PageContext {
  return { environment: server.environment, path: pathOf(request.raw) };
}

/** The sandbox's sections, for which production has the front page. */
const sections = {
  '/': 'Home',
  '/docs': 'Guides',
  '/docs/reference': 'Reference',
  '/handset': 'Phones',
  '/webhooks': 'Webhooks',
  '/log': 'Log',
};

function bar({ environment, path }: PageContext, tools: Html | undefined): Html {
  const isSandbox = environment === 'sandbox';
  const current = Object.keys(sections).findLast((each) => path === each || path?.startsWith(`${each}/`));
  const link = ([href, name]: [string, string]) =>
    html`<a href="${href}"${href === current && html` aria-current="page"`}>${name}</a>`;
  return html`<nav class="bar" aria-label="Assent">
<a class="brand" href="/"><img src="/icon.svg" alt="" width="26" height="26">Assent</a>
${
  isSandbox &&
  html`<span class="badge">SANDBOX</span>
<div class="sections">${Object.entries(sections).map(link)}</div>`
}
${tools}
</nav>`;
}

function failure({ title, message, next, traceId, home }: Omit<FailurePage, 'status'>): Html {
  return html`<main class="card">
<h1>${title}</h1>
<p>${message}</p>
<p>${next}</p>
${home && html`<p><a class="button" href="/">Home page</a></p>`}
${traceId && html`<p class="facts">If you ask for help, quote this id: <code>${traceId}</code></p>`}
</main>`;
}

function contentSecurityPolicy({ scripts, script, styles, formTargets = [] }: Omit<HtmlPage, 'status'>): string {
  return [
    "default-src 'none'",
    `style-src 'self'${styles ? " 'unsafe-inline'" : ''}`,
    "img-src 'self'",
    "font-src 'self'",
    ...(scripts || script ? ["script-src 'self'", "connect-src 'self'"] : []),
    ["form-action 'self'", ...formTargets.filter(isSource)].join(' '),
    "base-uri 'none'",
    "frame-ancestors 'none'",
  ].join('; ');
}

/** A host name may contain a semicolon, which would start a new directive. */
function isSource(target: string): boolean {
  return /^[a-z][a-z0-9+.-]*:(\/\/[^\s;,']+)?$/i.test(target);
}

function render(part: Part): string {
  if (Array.isArray(part)) return part.map(render).join('');
  if (part === null || part === undefined || part === false) return '';
  return part instanceof Html ? part.toString() : escaped(String(part));
}

function escaped(text: string): string {
  return text
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll('"', '&quot;')
    .replaceAll("'", '&#39;');
}

export function addScript(app: FastifyInstance, path: string, script: Buffer): void {
  app.get(path, (_request, reply) => reply.type('text/javascript; charset=utf-8').send(script));
}

export function hidden(fields: Record<string, string>): Html[] {
  return Object.entries(fields).map(([name, value]) => html`<input type="hidden" name="${name}" value="${value}">`);
}
