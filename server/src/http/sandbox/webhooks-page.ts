import { readFileSync } from 'node:fs';
import type { FastifyInstance, FastifyReply } from 'fastify';
import type { Deps } from '../../deps.ts';
import { listApplications } from '../../domain/access/applications.ts';
import { Problem } from '../../domain/problems.ts';
import { type Delivery, listDeliveries, redeliver, testWebhook } from '../../domain/webhooks/deliveries.ts';
import { isSuccess } from '../../domain/webhooks/turns.ts';
import { listWebhooks, type Webhook } from '../../domain/webhooks/webhooks.ts';
import { cookieJar } from '../browser/cookies.ts';
import { sendFailure } from '../browser/failures.ts';
import { formDoor } from '../browser/forms.ts';
import { brand, type Html, hidden, html, sendPage } from '../browser/page.ts';
import { answerHereOnly } from './this-machine.ts';

const style = readFileSync(new URL('browser/webhooks.css', import.meta.url));
const deliveriesShown = 50;

/** What was pushed to webhooks, and what came back. Like the phones' pages it needs no key. */
export function addWebhooksPage(app: FastifyInstance, deps: Deps): void {
  const forms = formDoor(cookieJar(deps.config.publicUrl), deps.config);

  app.register(async (scope) => {
    scope.setErrorHandler((error, request, reply) => sendFailure(error, request, reply));
    answerHereOnly(scope);
    scope.get('/webhooks.css', (_request, reply) => reply.type('text/css; charset=utf-8').send(style));

    scope.get('/webhooks', async (request, reply) => {
      const webhooks = await listWebhooks(deps);
      const shown = webhooks.map(async (webhook) => ({
        webhook,
        deliveries: await listDeliveries(deps, webhook.clientId, deliveriesShown),
      }));
      const [application] = await listApplications(deps);
      const page = { shown: await Promise.all(shown), clientId: application?.clientId ?? 'CLIENT-ID' };
      return sendWebhooks(reply, page, forms.token(request, reply));
    });

    /** Without an event, a test. What comes back is then the first on the page. */
    scope.post('/webhooks', async (request, reply) => {
      const fields = forms.read(request);
      const [clientId, eventId] = [fields('clientId'), fields('eventId')];
      await (eventId ? redeliver(deps, clientId, eventId) : testWebhook(deps, clientId)).catch((error) => {
        // Of a page from before: what it was about is gone.
        if (!(error instanceof Problem)) throw error;
      });
      return reply.redirect('/webhooks', 303);
    });
  });
}

type Shown = { webhook: Webhook; deliveries: Delivery[] };

type WebhooksPage = { shown: Shown[]; clientId: string };

function sendWebhooks(reply: FastifyReply, { shown, clientId }: WebhooksPage, formToken: string): FastifyReply {
  const content = html`<header class="top">${brand}
<nav class="rooms" aria-label="Sandbox"><a href="/handset">Phones</a></nav></header>
<main class="sheet">
<h1>Webhooks</h1>
${
  shown.length === 0 &&
  html`<p>No application has a webhook yet. Set one, at an address on this machine:</p>
<p><code>npm run -s assent -- webhooks set ${clientId} http://localhost:3000/hook</code></p>`
}
${shown.map((each) => section(each, formToken))}
</main>`;
  return sendPage(reply, { title: 'Webhooks', content, style: '/webhooks.css' });
}

function section({ webhook, deliveries }: Shown, formToken: string): Html {
  const { clientId, application, url, status, note } = webhook;
  return html`<section aria-labelledby="${clientId}">
<h2 id="${clientId}">${application}</h2>
<p><code>${url}</code> <span class="state ${status}">${status}</span></p>
${note && html`<p class="facts">${note}</p>`}
<form method="post" action="/webhooks">${hidden({ formToken, clientId })}<button class="button">Send a test event</button></form>
<ol class="deliveries">${deliveries.map((delivery) => item(delivery, hidden({ formToken, clientId, eventId: delivery.eventId })))}</ol>
${deliveries.length === 0 && html`<p class="facts">Nothing has been pushed yet.</p>`}
</section>`;
}

function item(delivery: Delivery, fields: Html[]): Html {
  const { type, eventId, attempt, status, answer, durationMs, dateTime, body } = delivery;
  return html`<li>
<div class="line">
<span class="status ${isSuccess(delivery) ? 'good' : 'bad'}">${status ?? 'no answer'}</span>
<span class="type">${type}</span>
<time datetime="${dateTime.toISOString()}">${times.format(dateTime)}</time>
</div>
<p class="facts">${eventId} · attempt ${attempt} · ${durationMs} ms</p>
<details>
<summary>Body and answer</summary>
<pre>${JSON.stringify(JSON.parse(body), null, 2)}</pre>
<pre>${answer || '(an empty answer)'}</pre>
</details>
<form method="post" action="/webhooks">${fields}<button class="quiet">Send again<span class="hidden-name"> ${eventId}</span></button></form>
</li>`;
}

/** In this machine's time zone, which is also the browser's. */
const times = new Intl.DateTimeFormat('en-US', {
  month: 'short',
  day: 'numeric',
  hour: 'numeric',
  minute: '2-digit',
  second: '2-digit',
});
