import { readFileSync } from 'node:fs';
import { STATUS_CODES } from 'node:http';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { Deps } from '../../deps.ts';
import { problem } from '../../domain/problems.ts';
import {
  type CallFilter,
  type CallLog,
  type CallSummary,
  type LoggedCall,
  type LoggedPart,
  matches,
  perSecondMax,
} from '../../domain/sandbox/call-log.ts';
import { curlOf } from '../../domain/sandbox/curl.ts';
import { asset } from '../browser/assets.ts';
import { type Html, html, sendPage } from '../browser/page.ts';
import { addPagesHere } from './this-machine.ts';

const script = asset('log.js', readFileSync(new URL('browser/log.js', import.meta.url)));
const style = asset('log.css', readFileSync(new URL('browser/log.css', import.meta.url)));
/** The table is as long as somebody reads; a search finds the others. */
const [shownMax, wholeMax] = [200, 50];
const streamsMax = 100;
/** A proxy that sees nothing for a minute may close the connection. */
const heartbeatMs = 15_000;
const statuses = { '': 'Any status', '2': '2xx', '4': '4xx', '5': '5xx' };

/**
 * The last calls, as they went and without secrets: a page, the same as JSON, and as server-sent events from now on. Like the phones'
 * pages they need no key.
 */
export function addLogPage(app: FastifyInstance, deps: Deps, log: CallLog): void {
  let streams = 0;

  addPagesHere(app, [script, style], (scope) => {
    scope.get('/log', async (request, reply) => {
      const filter = filterIn(request);
      const { call } = request.query as { call?: unknown };
      const calls = log.list(filter);
      const only = filter.traceId && calls.length === 1 ? calls[0]?.id : undefined;
      const chosen = log.find(Number(call)) ?? log.find(only ?? 0);
      return sendLog(reply, { calls, leftOut: log.leftOut(), filter, chosen, publicUrl: deps.config.publicUrl });
    });

    /** As many as the command shows. */
    scope.get('/log/calls', async (request) => {
      const data: LoggedCall[] = [];
      for (const { id } of log.list(filterIn(request)).slice(0, wholeMax)) {
        await deps.turn();
        const call = log.find(id);
        if (call) data.push(call);
      }
      return { data, leftOut: log.leftOut() };
    });

    scope.get('/log/stream', (request, reply) => {
      if (streams >= streamsMax) throw problem('downstream_unavailable', 'Too many streams are open: retry later.');
      streams += 1;
      const filter = filterIn(request);
      const { raw } = reply.hijack();
      raw.writeHead(200, { 'content-type': 'text/event-stream', 'cache-control': 'no-store' }).flushHeaders();
      const send = (call: LoggedCall) => matches(call, filter) && raw.write(`data: ${JSON.stringify(call)}\n\n`);
      const stop = log.follow(send);
      const beating = setInterval(() => raw.write(':\n\n'), heartbeatMs);
      const end = () => raw.end();
      deps.signals.stopping.signal.addEventListener('abort', end);
      raw.once('close', () => {
        streams -= 1;
        stop();
        clearInterval(beating);
        deps.signals.stopping.signal.removeEventListener('abort', end);
      });
    });
  });
}

function filterIn({ query }: FastifyRequest): CallFilter {
  const { traceId, status, path } = query as Record<string, unknown>;
  const text = (value: unknown) => (typeof value === 'string' ? value.trim() : undefined);
  return { traceId: text(traceId)?.toLowerCase(), status: text(status), path: text(path) };
}

type LogView = {
  calls: CallSummary[];
  leftOut: number;
  filter: CallFilter;
  chosen: LoggedCall | null;
  publicUrl: string;
};

function sendLog(reply: FastifyReply, { calls, leftOut, filter, chosen, publicUrl }: LogView): FastifyReply {
  const { traceId = '', status = '', path = '' } = filter;
  const isFiltered = Boolean(traceId || status || path);
  const content = html`<main class="wide log">
<header><h1>Log</h1>
<p class="facts">The last thousand calls to this process: the partner API, OAuth’s tokens and the sandbox’s own routes. Credentials, tokens and
passwords are left out.${leftOut > 0 && ` Of more than ${perSecondMax} a second only the first are kept: ${leftOut.toLocaleString('en-US')} are missing.`} <span role="status" data-connection></span></p></header>
<form class="filters" method="get" action="/log" data-filters>
<div><label for="status">Status</label><select id="status" name="status">${Object.entries(statuses).map(
    ([value, name]) => html`<option value="${value}"${value === status && html` selected`}>${name}</option>`,
  )}</select></div>
<div><label for="path">Path</label><input id="path" name="path" value="${path}" placeholder="/messages" autocomplete="off"></div>
<div><label for="traceId">Trace id</label><input id="traceId" name="traceId" value="${traceId}" autocomplete="off" spellcheck="false"></div>
<button class="button">Filter</button>
</form>
<div class="panes">
<section class="panel" aria-label="Calls">
<table><thead><tr><th scope="col">Status</th><th scope="col">Call</th><th scope="col" class="number">Took</th><th scope="col">When</th></tr></thead>
<tbody data-calls>${calls.slice(0, shownMax).map((call) => row(call, filter, chosen))}${
    calls.length > shownMax &&
    html`<tr><td colspan="4">The latest ${shownMax} of ${calls.length}. Filter to find the others.</td></tr>`
  }</tbody></table>
<p class="nothing" data-nothing>${isFiltered ? 'No call matches.' : 'No calls yet. Make one, and it appears here.'}</p>
</section>
<section class="detail panel" aria-label="Call" data-detail tabindex="-1">${chosen ? detail(chosen, publicUrl) : html`<p class="facts">Choose a call to see its request and response.</p>`}</section>
</div>
</main>`;
  return sendPage(reply, { title: 'Log', content, script: script.path, style: style.path });
}

function row(call: CallSummary, filter: CallFilter, chosen: LoggedCall | null): Html {
  const { id, status, method, path, durationMs, dateTime, traceId } = call;
  const query = new URLSearchParams({ ...defined(filter), call: String(id) });
  return html`<tr data-call="${id}"${id === chosen?.id && html` aria-current="true"`}>
<td>${chip(status)}</td>
<td><a href="/log?${query.toString()}"><b>${method}</b> ${path}</a><small title="Trace id">${traceId}</small></td>
<td class="number">${durationOf(durationMs)}</td>
<td><time datetime="${dateTime.toISOString()}" title="${dateTime.toISOString()}">${times.format(dateTime)}</time></td>
</tr>`;
}

function defined({ traceId, status, path }: CallFilter): Record<string, string> {
  return { ...(traceId && { traceId }), ...(status && { status }), ...(path && { path }) };
}

function chip(status: number): Html {
  const kind = status < 300 ? 'good' : status < 400 ? '' : status < 500 ? 'warn' : 'bad';
  return html`<span class="chip ${kind}">${status}</span>`;
}

function detail(call: LoggedCall, publicUrl: string): Html {
  const { method, path, status, durationMs, dateTime, traceId, request, response } = call;
  return html`<h2>${method} ${path}</h2>
<p class="facts">${chip(status)} ${STATUS_CODES[status]} · ${durationOf(durationMs)} · <time datetime="${dateTime.toISOString()}">${dateTime.toISOString()}</time><br>Trace id <code>${traceId}</code></p>
<p><button class="button small" type="button" data-copy hidden>Copy as curl</button></p>
${part('Request', `${method} ${path}`, request)}
${part('Response', `${status} ${STATUS_CODES[status] ?? ''}`, response)}
<details class="curl"><summary>As curl, with your own credentials</summary><pre tabindex="0" data-curl>${curlOf(call, publicUrl)}</pre></details>`;
}

function part(name: string, line: string, { headers, body }: LoggedPart): Html {
  const head = [line, ...headers.map(([header, value]) => `${header}: ${value}`)].join('\n');
  return html`<h3>${name}</h3>
<pre tabindex="0" aria-label="${name}: headers">${head}</pre>
${body ? html`<pre tabindex="0" aria-label="${name}: body">${readable(body)}</pre>` : html`<p class="facts">No body.</p>`}`;
}

/** JSON over several lines; anything else as it is. */
function readable(body: string): string {
  try {
    return JSON.stringify(JSON.parse(body), null, 2);
  } catch {
    return body;
  }
}

function durationOf(ms: number): string {
  return ms < 1_000 ? `${Math.round(ms)} ms` : `${(ms / 1_000).toFixed(1)} s`;
}

/** In this machine's time zone, which is also the browser's. */
const times = new Intl.DateTimeFormat('en-US', { hour: 'numeric', minute: '2-digit', second: '2-digit' });
