import type { FastifyInstance, FastifyReply } from 'fastify';
import { type ProblemCode, problemCodes, problems } from '../domain/problems.ts';

/** A speech bubble with a tick: said, and agreed to. */
export const icon = `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 32 32"><path d="M5 4h22a3 3 0 0 1 3 3v14a3 3 0 0 1-3 3H14l-7 6v-6H5a3 3 0 0 1-3-3V7a3 3 0 0 1 3-3z" fill="#0b5cad"/><path d="M9 14l5 5 9-9" fill="none" stroke="#fff" stroke-width="3.5" stroke-linecap="round" stroke-linejoin="round"/></svg>`;
const style = `
  :root { color-scheme: light dark; --ink: #1c2430; --soft: #5a6675; --line: #d9dee5; --paper: #fff; --tint: #f4f6f9; --link: #0b5cad; }
  @media (prefers-color-scheme: dark) {
    :root { --ink: #e6eaf0; --soft: #9aa6b5; --line: #333d4a; --paper: #12171e; --tint: #1b222c; --link: #7ab7ff; }
  }
  * { box-sizing: border-box; }
  body { margin: 0 auto; max-width: 46rem; padding: 2rem 1.25rem 4rem; font: 1rem/1.6 system-ui, sans-serif; color: var(--ink); background: var(--paper); }
  h1 { font-size: 1.75rem; line-height: 1.2; margin: 1rem 0 .5rem; overflow-wrap: anywhere; }
  h2 { font-size: 1.1rem; margin: 2rem 0 .25rem; }
  a { color: var(--link); }
  code { font: .9em ui-monospace, monospace; background: var(--tint); padding: .1em .35em; border-radius: .25rem; overflow-wrap: anywhere; }
  .facts { color: var(--soft); }
  p.facts { margin: 0 0 1rem; }
  dt { margin-top: 1.25rem; }
  dd { margin: .25rem 0 0; }
`;
const contentSecurityPolicy =
  "default-src 'none'; style-src 'self'; img-src 'self'; base-uri 'none'; frame-ancestors 'none'; form-action 'none'";

/** The pages that a browser may open at the origin: a front page, and one for each problem's `type`. */
export function addPages(app: FastifyInstance, environment: string): void {
  const hide = { schema: { hide: true } };
  app.get('/', hide, (_request, reply) => sendPage(reply, 'Assent', frontPage(environment)));
  app.get('/problems', hide, (_request, reply) => sendPage(reply, 'Problems', problemList()));
  for (const code of problemCodes)
    app.get(`/problems/${code}`, hide, (_request, reply) => sendPage(reply, problems[code].title, problemPage(code)));
  app.get('/icon.svg', hide, (_request, reply) => reply.type('image/svg+xml').send(icon));
  app.get('/style.css', hide, (_request, reply) => reply.type('text/css; charset=utf-8').send(style));
}

function sendPage(reply: FastifyReply, title: string, content: string): FastifyReply {
  return reply
    .type('text/html; charset=utf-8')
    .header('content-security-policy', contentSecurityPolicy)
    .header('referrer-policy', 'no-referrer')
    .send(`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${title} · Assent</title>
<link rel="icon" href="/icon.svg" type="image/svg+xml">
<link rel="stylesheet" href="/style.css">
</head>
<body>
${content}
</body>
</html>
`);
}

function frontPage(environment: string): string {
  return `<main>
<h1>Assent</h1>
<p>Compliance-grade texting and an address book, served as a partner API. This is the ${environment}.</p>
<ul>
<li><a href="/docs">Reference</a>: every endpoint, with calls to try</li>
<li><a href="/openapi.json">openapi.json</a>: the same for machines</li>
<li><a href="/problems">Problems</a>: the twelve errors and what to do about each</li>
</ul>
</main>`;
}

function problemList(): string {
  const items = problemCodes.map(
    (code) =>
      `<dt><a href="/problems/${code}"><code>${code}</code></a> <span class="facts">HTTP ${problems[code].status}</span></dt>
<dd>${marked(problems[code].when)}</dd>`,
  );
  return `<p><a href="/">Assent</a></p>
<main>
<h1>Problems</h1>
<p>Every error of the API is one of these twelve.</p>
<dl>
${items.join('\n')}
</dl>
</main>`;
}

function problemPage(code: ProblemCode): string {
  const { status, title, retryable, when, next } = problems[code];
  return `<p><a href="/problems">All problems</a></p>
<main>
<h1>${title}</h1>
<p class="facts"><code>${code}</code> · HTTP ${status} · ${retryable ? 'retry with backoff' : 'do not retry unchanged'}</p>
<h2>When</h2>
<p>${marked(when)}</p>
<h2>What to do next</h2>
<p>${marked(next)}</p>
</main>`;
}

/** Our own texts mark code with backticks and hold no other markup. */
function marked(text: string): string {
  return text
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replace(/`([^`]+)`/g, '<code>$1</code>');
}
