import { readFileSync } from 'node:fs';
import type { FastifyInstance } from 'fastify';
import { type ProblemCode, problemCodes, problems } from '../../domain/problems.ts';
import { addAssets } from './assets.ts';
import { lookAssets } from './look.ts';
import { addScript, type Html, html, sendPage } from './page.ts';

/** A speech bubble with a check mark: said, and agreed to. */
const icon = `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 32 32"><path d="M5 4h22a3 3 0 0 1 3 3v14a3 3 0 0 1-3 3H14l-7 6v-6H5a3 3 0 0 1-3-3V7a3 3 0 0 1 3-3z" fill="#0b5cad"/><path d="M9 14l5 5 9-9" fill="none" stroke="#fff" stroke-width="3.5" stroke-linecap="round" stroke-linejoin="round"/></svg>`;

/** What several pages run. */
const scripts = {
  '/invitation.js': new URL('browser/invitation.js', import.meta.url),
  '/passkeys.js': new URL('browser/passkeys.js', import.meta.url),
  '/page-parts.js': new URL('browser/page-parts.js', import.meta.url),
  '/local-times.js': new URL('browser/local-times.js', import.meta.url),
  // The library's single-file bundle. The package doesn't export it, but it is next to a file that is exported.
  '/webauthn.js': new URL('../dist/bundle/index.umd.min.js', import.meta.resolve('@simplewebauthn/browser')),
};

/** The pages for everyone: one for each problem's `type`, and outside the sandbox, which has its own, a front page. */
export function addPages(app: FastifyInstance, environment: string): void {
  if (environment !== 'sandbox')
    app.get('/', (_request, reply) => sendPage(reply, { title: 'Partner API', content: frontPage(environment) }));
  app.get('/problems', (_request, reply) => sendPage(reply, { title: 'Problems', content: problemList() }));
  for (const code of problemCodes)
    app.get(`/problems/${code}`, (_request, reply) =>
      sendPage(reply, { title: problems[code].title, content: problemPage(code) }),
    );
  app.get('/icon.svg', (_request, reply) => reply.type('image/svg+xml').send(icon));
  addAssets(app, lookAssets);
  for (const [path, file] of Object.entries(scripts)) addScript(app, path, readFileSync(file));
}

function frontPage(environment: string): Html {
  return html`<main class="sheet">
<h1>Partner API</h1>
<p>Assent sends texts for financial advisors from your application, with consent and on the record. This is the ${environment} environment.</p>
<ul>
<li><a href="/docs">Guides</a>: how to text, ask for consent, and connect an advisor</li>
<li><a href="/docs/reference">Reference</a>: every endpoint, with calls to try</li>
<li><a href="/openapi.json">openapi.json</a>: the same, machine-readable</li>
<li><a href="/problems">Problems</a>: the twelve errors and what to do about each</li>
<li><a href="/connected-apps">Connected apps</a>: for advisors, to see the applications that act for them</li>
</ul>
</main>`;
}

function problemList(): Html {
  return html`<main class="sheet">
<h1>Problems</h1>
<p>Every error from the API is one of these twelve.</p>
<dl>
${problemCodes.map(
  (
    code,
  ) => html`<dt><a href="/problems/${code}"><code>${code}</code></a> <span class="facts">HTTP ${problems[code].status}</span></dt>
<dd>${marked(problems[code].when)}</dd>`,
)}
</dl>
</main>`;
}

function problemPage(code: ProblemCode): Html {
  const { status, title, retryable, when, next } = problems[code];
  return html`<nav class="siblings" aria-label="Problems"><a href="/problems">All problems</a></nav>
<main class="sheet">
<h1>${title}</h1>
<p class="facts"><code>${code}</code> · HTTP ${status} · ${retryable ? 'retry with backoff' : 'do not retry unchanged'}</p>
<h2>When</h2>
<p>${marked(when)}</p>
<h2>What to do next</h2>
<p>${marked(next)}</p>
</main>`;
}

/** Our own texts mark code with backticks: every second piece is code. */
function marked(text: string): Html[] {
  return text.split('`').map((piece, index) => (index % 2 ? html`<code>${piece}</code>` : html`${piece}`));
}
