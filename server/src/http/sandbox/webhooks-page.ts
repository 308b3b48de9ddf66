import { readFileSync } from 'node:fs';
import type { FastifyInstance, FastifyReply } from 'fastify';
import type { Deps } from '../../deps.ts';
import { listApplications } from '../../domain/access/applications.ts';
import { Problem } from '../../domain/problems.ts';
import { type KeptDelivery, listAllDeliveries, redeliver, testWebhook } from '../../domain/webhooks/deliveries.ts';
import { pushedTypes } from '../../domain/webhooks/pushed-events.ts';
import { isSuccess } from '../../domain/webhooks/turns.ts';
import {
  addWebhook,
  enableWebhook,
  listWebhooks,
  removeWebhook,
  type Webhook,
} from '../../domain/webhooks/webhooks.ts';
import { asset } from '../browser/assets.ts';
import { cookieJar } from '../browser/cookies.ts';
import { type Fields, formDoor } from '../browser/forms.ts';
import { type Html, hidden, html, sendPage } from '../browser/page.ts';
import { addPagesHere } from './this-machine.ts';

const script = asset('webhooks.js', readFileSync(new URL('browser/webhooks.js', import.meta.url)));
const style = asset('webhooks.css', readFileSync(new URL('browser/webhooks.css', import.meta.url)));
const deliveriesShown = 50;

/** The webhooks of the sandbox, what was pushed to them, and what came back. Like the phones' pages it needs no key. */
export function addWebhooksPage(app: FastifyInstance, deps: Deps): void {
  const forms = formDoor(cookieJar(deps.config.publicUrl), deps.config);

  addPagesHere(app, [script, style], (scope) => {
    scope.get('/webhooks', async (request, reply) => {
      const filter = filterIn(request.query as Record<string, unknown>);
      return sendWebhooks(reply, await read(deps, filter), { filter, formToken: forms.token(request, reply) });
    });

    scope.post('/webhooks', async (request, reply) => {
      const fields = forms.read(request);
      if (fields('act') !== 'add') {
        await act(deps, fields);
        return reply.redirect('/webhooks', 303);
      }
      // The secret is shown only once, so it is in the response to the form.
      const added = await add(deps, fields);
      const shown = { filter: {}, added, formToken: forms.token(request, reply) };
      return sendWebhooks(reply, await read(deps, {}), shown);
    });
  });
}

type Filter = { url?: string; type?: string };

function filterIn({ endpoint, type }: Record<string, unknown>): Filter {
  return {
    ...(typeof endpoint === 'string' && endpoint !== '' && !endpoint.includes('\0') && { url: endpoint }),
    ...(typeof type === 'string' && pushedTypes.includes(type) && { type }),
  };
}

async function act(deps: Deps, fields: Fields): Promise<void> {
  const name = { clientId: fields('clientId'), url: fields('url') };
  const acts: Record<string, () => Promise<unknown>> = {
    test: () => testWebhook(deps, name),
    redeliver: () => redeliver(deps, name, fields('eventId')),
    enable: () => enableWebhook(deps, name),
    remove: () => removeWebhook(deps, name),
  };
  await acts[fields('act')]?.().catch((error) => {
    // Of a page from before: what it was about is gone.
    if (!(error instanceof Problem)) throw error;
  });
}

type NewEndpoint = { url: string; types: string[]; secret?: string; problem?: string };

async function add(deps: Deps, fields: Fields): Promise<NewEndpoint> {
  const url = fields('url').trim();
  const types = pushedTypes.filter((type) => fields(`type ${type}`));
  try {
    return { url, types, secret: await addWebhook(deps, fields('clientId'), url, types.length > 0 ? types : null) };
  } catch (error) {
    if (!(error instanceof Problem)) throw error;
    return { url, types, problem: error.message };
  }
}

type Contents = { webhooks: Webhook[]; deliveries: KeptDelivery[]; applications: { clientId: string; name: string }[] };

async function read(deps: Deps, filter: Filter): Promise<Contents> {
  const [webhooks, deliveries, applications] = await Promise.all([
    listWebhooks(deps),
    listAllDeliveries(deps, { ...filter, limit: deliveriesShown }),
    listApplications(deps),
  ]);
  return { webhooks, deliveries, applications };
}

function sendWebhooks(
  reply: FastifyReply,
  contents: Contents,
  { filter, formToken, added }: { filter: Filter; formToken: string; added?: NewEndpoint },
): FastifyReply {
  const { webhooks, deliveries, applications } = contents;
  const content = html`<main class="wide webhooks">
<div class="intro">
<h1>Webhooks</h1>
<p class="facts">Events are pushed to your endpoints as they happen. The latest ${deliveriesShown} deliveries are below. <span role="status" data-connection></span></p>
</div>
${added?.secret && secretOf(added.url, added.secret)}
<div class="panel endpoints">
<h2 tabindex="-1">Endpoints</h2>
<ul data-endpoints>${webhooks.map((webhook) => endpoint(webhook, formToken))}</ul>
${additionForm(applications, formToken, added?.problem ? added : undefined)}
</div>
<section class="panel deliveries" aria-labelledby="deliveries">
<div class="row"><h2 id="deliveries">Deliveries</h2>${filterForm(filter, webhooks)}</div>
<ol data-deliveries>${deliveries.map((delivery) => item(delivery, webhooks, formToken))}</ol>
<p class="nothing facts">${filter.type || filter.url ? 'Nothing like this has been pushed yet.' : 'Nothing has been pushed yet.'} To make something happen, in the folder where the sandbox runs: <code class="command">npx --no-install assent trigger ${filter.type ?? 'consent.changed'}</code></p>
<noscript><p class="facts">Reload the page to see new deliveries.</p></noscript>
</section>
${verification}
</main>`;
  const status = added?.problem ? 400 : 200;
  return sendPage(reply, { title: 'Webhooks', content, script: script.path, style: style.path, status });
}

function secretOf(url: string, secret: string): Html {
  return html`<div class="notice secret" role="status">
<p>Events are pushed to <strong>${url}</strong> from now on. Verify them with its secret, which is shown only this once:</p>
<p class="copying"><code data-secret>${secret}</code> <button class="button small" data-copy="[data-secret]" hidden>Copy</button></p>
</div>`;
}

const states = { on: ['good', 'On'], failing: ['warn', 'Failing'], off: ['bad', 'Off'] } as const;

function endpoint({ clientId, application, url, types, status, since, reason }: Webhook, formToken: string): Html {
  const [kind, word] = states[status];
  const form = (act: string, button: Html) =>
    html`<form method="post" action="/webhooks" data-act>${hidden({ formToken, act, clientId, url })}${button}</form>`;
  return html`<li>
<p><code class="url">${url}</code> <span class="chip ${kind}">${word}</span></p>
<p class="facts">${application} · ${types === 'all' ? 'all types' : types.join(', ')}</p>
${(since || reason) && html`<p class="facts">${word} ${since && html`since ${timeOf(since)}: `}${reason}.</p>`}
<div class="acts">
${form('test', html`<button class="button small">Send a test event<span class="unseen"> to ${url}</span></button>`)}
${status !== 'on' && form('enable', html`<button class="button small">${status === 'off' ? 'Switch on' : 'Try again now'}<span class="unseen"> ${url}</span></button>`)}
<details><summary>Remove<span class="unseen"> ${url}</span></summary>
<p class="facts">Its secret is gone then, and so is what it wasn’t told yet.</p>
${form('remove', html`<button class="button small ends">Remove this endpoint</button>`)}
</details>
</div>
</li>`;
}

function additionForm(applications: Contents['applications'], formToken: string, refused?: NewEndpoint): Html {
  const [only, ...others] = applications;
  return html`<form class="addition" method="post" action="/webhooks">
<h3>Add an endpoint</h3>
${hidden({ formToken, act: 'add' })}
${
  others.length === 0
    ? hidden({ clientId: only?.clientId ?? '' })
    : html`<div class="field"><label for="application">Application</label>
<select id="application" name="clientId">${applications.map(({ clientId, name }) => html`<option value="${clientId}">${name}</option>`)}</select></div>`
}
<div class="field"><label for="url">Address</label>
${refused && html`<p class="notice bad" role="alert" id="problem">${refused.problem}</p>`}
<input id="url" name="url" type="url" required placeholder="http://localhost:3000/hook" value="${refused?.url}"${refused && html` aria-invalid="true" aria-describedby="problem"`}></div>
<details${refused && refused.types.length > 0 && html` open`}><summary>Only some types of events</summary>
<fieldset><legend class="unseen">Types; by default all</legend>
${pushedTypes.map((type) => html`<label class="check"><input type="checkbox" name="type ${type}" value="1"${refused?.types.includes(type) && html` checked`}> ${type}</label>`)}
</fieldset></details>
<button class="button main">Add endpoint</button>
<p class="facts">Or only while you work on it, in the folder where the sandbox runs: <code class="command">npx --no-install assent listen --forward-to localhost:3000/hook</code></p>
</form>`;
}

function filterForm({ url, type }: Filter, webhooks: Webhook[]): Html {
  const urls = [...new Set([...webhooks.map((webhook) => webhook.url), ...(url ? [url] : [])])];
  const option = (value: string, chosen: string | undefined) =>
    html`<option${value === chosen && html` selected`}>${value}</option>`;
  return html`<form class="filter" method="get" action="/webhooks" data-filter>
<label class="unseen" for="type">Type</label>
<select id="type" name="type"><option value="">All types</option>${pushedTypes.map((each) => option(each, type))}</select>
<label class="unseen" for="endpoint">Endpoint</label>
<select id="endpoint" name="endpoint"><option value="">All endpoints</option>${urls.map((each) => option(each, url))}</select>
<noscript><button class="button small">Filter</button></noscript>
</form>`;
}

function item(delivery: KeptDelivery, webhooks: Webhook[], formToken: string): Html {
  const { deliveryId, url, type, eventId, attempt, status, response, durationMs, dateTime, body, signature } = delivery;
  const endpoint = webhooks.find((webhook) => webhook.webhookId === delivery.webhookId);
  const headers = {
    'content-type': 'application/json',
    'webhook-id': eventId,
    'webhook-timestamp': String(Math.floor(dateTime.getTime() / 1000)),
    'webhook-signature': signature,
  };
  return html`<li id="delivery-${deliveryId}">
<details>
<summary>
<span class="chip ${isSuccess(delivery) ? 'good' : 'bad'}">${status ?? 'No response'}</span>
<span class="type">${type}</span>
${timeOf(dateTime)}
<span class="facts to">${url} · attempt ${attempt} · ${durationMs} ms</span>
</summary>
<h3>Request</h3>
<pre>POST ${url}
${Object.entries(headers).map(([name, value]) => `${name}: ${value}\n`)}
<span data-body>${body}</span></pre>
<h3>Response</h3>
<pre>${status === null ? '' : `${status}\n`}${response || '(empty)'}</pre>
</details>
${
  endpoint &&
  html`<form method="post" action="/webhooks" data-act>${hidden({ formToken, act: 'redeliver', clientId: endpoint.clientId, url: endpoint.url, eventId })}<button class="button small">Send again<span class="unseen"> ${eventId} to ${endpoint.url}</span></button></form>`
}
</li>`;
}

function timeOf(date: Date): Html {
  const utc = date.toISOString();
  return html`<time datetime="${utc}" title="${utc}">${times.format(date)}</time>`;
}

/** In this machine's time zone, which is also the browser's. */
const times = new Intl.DateTimeFormat('en-US', {
  month: 'short',
  day: 'numeric',
  hour: 'numeric',
  minute: '2-digit',
  second: '2-digit',
});

/** Narrow, to fit beside the deliveries. */
const example = `import { createServer } from 'node:http';
import { text } from 'node:stream/consumers';
import { webhooks } from '@assent/client';

const secret = process.env.WEBHOOK_SECRET;

createServer(async (request, response) => {
  const { headers } = request;
  const body = await text(request);
  try {
    const event = await webhooks.verify(
      body, headers, secret);
    console.log(event.type, event.data);
    response.writeHead(204).end();
  } catch {
    response.writeHead(401).end();
  }
}).listen(3000);
`;

const verification = html`<section class="panel verification" aria-labelledby="verification">
<div class="row"><h2 id="verification">How to verify</h2><button class="button small" data-copy="[data-example]" hidden>Copy</button></div>
<p class="facts">Verify the body as it came, before anything parses it, and answer 2xx before you do anything slow. An event may come more than once: remember the ids that you have handled.</p>
<pre data-example>${example}</pre>
</section>`;
