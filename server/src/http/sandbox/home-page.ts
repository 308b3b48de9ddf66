import { readFileSync } from 'node:fs';
import type { FastifyInstance, FastifyReply } from 'fastify';
import type { Deps } from '../../deps.ts';
import type { SandboxClock } from '../../domain/ports.ts';
import { countTextsToday } from '../../domain/sandbox/handsets.ts';
import type { SandboxAdvisor } from '../../domain/sandbox/sandbox.ts';
import { readSandboxFile } from '../../domain/sandbox/sandbox-file.ts';
import { dayMs } from '../../domain/shared/time.ts';
import { listWebhooks } from '../../domain/webhooks/webhooks.ts';
import { asset } from '../browser/assets.ts';
import { cookieJar } from '../browser/cookies.ts';
import { formDoor } from '../browser/forms.ts';
import { type Html, hidden, html, sendPage } from '../browser/page.ts';
import { search } from '../docs/search.ts';
import type { FirstCall } from './first-calls.ts';
import type { SandboxWork } from './own-routes.ts';
import { addPagesHere } from './this-machine.ts';

const script = asset('home.js', readFileSync(new URL('browser/home.js', import.meta.url)));
const style = asset('home.css', readFileSync(new URL('browser/home.css', import.meta.url)));

/** How far the page's buttons move the clock. */
const moves: Record<string, number> = { '1 hour': dayMs / 24, '1 day': dayMs, '1 week': 7 * dayMs };

/**
 * The sandbox's front page: how it is, three calls to start with, and the ways on. Credentials aren't on it: its script asks
 * for them, with the form token.
 */
export function addHomePage(
  app: FastifyInstance,
  deps: Deps,
  { clock, deliverDue, resetSandbox }: { clock: SandboxClock } & Required<SandboxWork>,
): void {
  const { config } = deps;
  const forms = formDoor(cookieJar(config.publicUrl), config);

  addPagesHere(app, [script, style], (scope) => {
    scope.get('/', async (request, reply) => {
      const advisors = readSandboxFile(config.dataDir)?.advisors ?? [];
      const [texts, webhooks] = await Promise.all([countTextsToday(deps), listWebhooks(deps)]);
      // Its highlighter is loaded for the first visitor: most starts have none.
      const { firstCalls } = await import('./first-calls.ts');
      return sendHome(reply, {
        state: { now: clock.now(), isMoved: clock.offsetMs() > 0, advisors, texts, webhooks: webhooks.length },
        calls: firstCalls(config.publicUrl, advisors[0]?.textingNumber ?? ''),
        client: `npm i ${config.publicUrl}/client.tgz`,
        formToken: forms.token(request, reply),
      });
    });

    scope.post('/', async (request, reply) => {
      const fields = forms.read(request);
      if (fields('reset')) await resetSandbox();
      else {
        await clock.advance(moves[fields('move')] ?? 0);
        await deliverDue();
      }
      return reply.redirect('/', 303);
    });
  });
}

type State = {
  now: Date;
  isMoved: boolean;
  advisors: SandboxAdvisor[];
  texts: { sent: number; delivered: number; held: number };
  webhooks: number;
};
type Home = {
  state: State;
  calls: FirstCall[];
  client: string;
  formToken: string;
};

function sendHome(reply: FastifyReply, home: Home): FastifyReply {
  const { state, calls, client, formToken } = home;
  const [advisor] = state.advisors;
  const content = html`<main class="wide home" data-form-token="${formToken}" data-advisor="${advisor?.id}">
<div class="first">
<div>
<h1>Text clients.<br>With their consent, on the record.</h1>
<p class="lead">Assent sends texts for financial advisors from your application. It asks for consent, refuses what may not be sent, and archives every word so that nobody can change it unseen.</p>
<div class="ways">
${advisor && html`<a class="button main" href="/demonstration">See the demonstration</a>`}
<a class="button${!advisor && ' main'}" href="#calls">First text in three calls</a>
<button class="button" type="button" data-copy="${client}">${icons.copy}<code>${client}</code></button>
</div>
<p class="facts">The command, in the folder where the sandbox runs: <code>npx --no-install assent</code></p>
</div>
${stateCard(home, advisor)}
</div>
${callsCard(calls, advisor !== undefined)}
<h2 class="unseen">Where to go next</h2>
<ul class="next">${ways.map(way)}</ul>
<p class="facts">Also: the <a href="/problems">twelve errors</a> and what to do about each, <a href="/openapi.json">openapi.json</a>, <a href="/llms.txt">llms.txt</a>.</p>
<p class="unseen" role="status" data-said></p>
</main>`;
  return sendPage(reply, { title: 'Sandbox', content, tools: search, script: script.path, style: style.path });
}

function stateCard({ state, formToken }: Home, advisor: SandboxAdvisor | undefined): Html {
  const { now, isMoved, advisors, texts, webhooks } = state;
  const names = advisors.map(({ name }) => name.split(' ')[0]).join(', ');
  return html`<section class="state panel" aria-labelledby="state">
<header><h2 id="state">This sandbox</h2><span class="chip good">${icons.check}Ready</span></header>
<dl>
<dt>Clock</dt>
<dd><time datetime="${now.toISOString()}" title="${now.toISOString()}">${moment.format(now)}</time>${isMoved && ', moved'}
<details class="move"><summary>move</summary>
<form method="post" action="/">${hidden({ formToken })}
<p>Everything that becomes due is sent.</p>
${Object.keys(moves).map((name) => html`<button class="button small" name="move" value="${name}">+ ${name}</button>`)}
</form></details></dd>
<dt>Advisors</dt><dd>${names || 'None yet'}</dd>
<dt>Texts today</dt><dd class="number">${count(texts.sent)} sent, ${count(texts.delivered)} delivered, ${count(texts.held)} held</dd>
<dt>Webhooks</dt><dd><a href="/webhooks">${webhooks === 0 ? 'Add an endpoint' : webhooks === 1 ? '1 endpoint' : `${webhooks} endpoints`}</a></dd>
${
  advisor &&
  html`<dt>API key</dt><dd><button class="quiet" type="button" data-credential="apiKey">copy</button></dd>
<dt>Token</dt><dd>${advisor.name}, 15 minutes <button class="quiet" type="button" data-credential="accessToken">copy a new one</button></dd>`
}
</dl>
<footer>
${advisor && html`<a class="button small" href="/app">${icons.message}Advisor’s app</a>`}
<a class="button small" href="/console">${icons.check}Console</a>
<a class="button small" href="/handset">${icons.phone}Phones</a>
<a class="button small" href="/log">${icons.list}Log</a>
<details class="move reset"><summary>Reset</summary>
<form method="post" action="/">${hidden({ formToken })}
<p>Texts, consents, contacts, schedules, webhooks and the clock become as they were after the first start. The credentials stay; tokens end.</p>
<button class="button small ends" name="reset" value="yes">Reset now</button>
</form></details>
</footer>
</section>`;
}

function callsCard(calls: FirstCall[], canRun: boolean): Html {
  const languages = calls[0]?.code.map(({ language }) => language) ?? [];
  return html`<section class="calls panel" id="calls" aria-labelledby="calls-title">
<div class="steps">
<h2 id="calls-title">Three first calls</h2>
<div class="choice" role="radiogroup" aria-labelledby="calls-title">${calls.map(
    (
      { title, about },
      step,
    ) => html`<label><input type="radio" name="step" value="${step}"${step === 0 && html` checked`}>
<b>${step + 1}</b><span>${title}<small>${about}</small></span></label>`,
  )}</div>
<p class="facts">Their phone: <a href="/handset/+15005550006">+15005550006</a></p>
</div>
<div class="code">
<div class="tools">
<div class="tabs choice" role="radiogroup" aria-label="Language">${languages.map(
    (language, index) =>
      html`<label><input type="radio" name="language" value="${language}"${index === 0 && html` checked`}>${language}</label>`,
  )}</div>
<button class="button small" type="button" data-copy-code${!canRun && html` hidden`}>${icons.copy}Copy</button>
<button class="button small" type="button" data-run${!canRun && html` hidden`}>${icons.run}Run</button>
</div>
${calls.map((call, step) =>
  call.code.map(
    ({ language, html: code }) =>
      html`<pre data-step="${step}" data-language="${language}" data-call="${callOf(call)}" tabindex="0"><code>${code}</code></pre>`,
  ),
)}
<div class="answer" data-answer hidden><p data-answer-status role="status"></p><pre tabindex="0"><code data-answer-body></code></pre></div>
<noscript><p class="facts">Copy and Run need JavaScript.</p></noscript>
</div>
</section>`;
}

/** What Run sends. It never evaluates the code. */
function callOf({ method, path, body }: FirstCall): string {
  return JSON.stringify({ method, path, body });
}

type Way = { href: string; title: string; about: string; icon: Html };

function way({ href, title, about, icon }: Way): Html {
  return html`<li><a class="panel" href="${href}">${icon}<span class="name">${title}</span><span class="about">${about}</span></a></li>`;
}

function count(texts: number): string {
  return texts.toLocaleString('en-US');
}

/** In this machine's time zone, which is also the browser's. */
const moment = new Intl.DateTimeFormat('en-US', {
  weekday: 'short',
  month: 'short',
  day: 'numeric',
  hour: 'numeric',
  minute: '2-digit',
});

const icons = {
  copy: icon('M9 8h10v12H9z M15 8V4H5v12h4'),
  run: icon('M7 5v14l12-7z'),
  check: icon('M5 12.5l4.5 4.5L19 7.5'),
  message: icon('M4 5h16v11h-9l-4 4v-4H4z M8 9h8 M8 12h5'),
  phone: icon('M7 3h10v18H7z M11 18h2'),
  list: icon('M4 6h3 M10 6h10 M4 12h3 M10 12h10 M4 18h3 M10 18h10'),
};

const ways: Way[] = [
  {
    href: '/docs/partners/texting',
    title: 'Texting and consent',
    about: 'Send, ask, wait for a yes, schedule by wall clock.',
    icon: icons.message,
  },
  {
    href: '/docs/partners/events',
    title: 'Events and webhooks',
    about: 'Every change once, in order, pushed or pulled.',
    icon: icon('M13 3L5 14h6l-1 7 9-12h-6z'),
  },
  {
    href: '/docs/partners/testing',
    title: 'Test without texting anyone',
    about: 'Phones that answer, every error on demand.',
    icon: icon('M9 3h6 M10 3v6L5 19a1.5 1.5 0 0 0 1.3 2h11.4a1.5 1.5 0 0 0 1.3-2L14 9V3 M8 14h8'),
  },
  {
    href: '/docs/reference',
    title: 'Reference',
    about: 'Every endpoint, with calls that work with a click.',
    icon: icon('M8 6l-5 6 5 6 M16 6l5 6-5 6 M13.5 4l-3 16'),
  },
];

function icon(path: string): Html {
  return html`<svg class="icon" viewBox="0 0 24 24" aria-hidden="true"><path d="${path}"/></svg>`;
}
