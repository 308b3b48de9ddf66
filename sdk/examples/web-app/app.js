// A web application on Assent: an advisor connects it, it shows their contacts, texts with consent, and lists events as they come.
import { createServer } from 'node:http';
import { Assent, AssentError, oauth, webhooks } from '@assent/client';
import { connectPage, errorPage, homePage, rowOf } from './page.js';
import { tokenStore } from './tokens.js';

const setting = (/** @type {string} */ name) => process.env[name] ?? fail(`${name} is not set: see .env`);
const baseUrl = setting('ASSENT_BASE_URL');
const apiKey = setting('ASSENT_API_KEY');
const webhookSecret = setting('ASSENT_WEBHOOK_SECRET');
const redirectUri = setting('ASSENT_REDIRECT_URI');
const authUrl = setting('ASSENT_AUTH_URL');
const client = {
  tokenUrl: setting('ASSENT_TOKEN_URL'),
  clientId: setting('ASSENT_CLIENT_ID'),
  clientSecret: setting('ASSENT_CLIENT_SECRET'),
};
const scope = 'openid offline_access core.contacts.read text.messaging.read text.messaging.write';
const { origin, host, port } = new URL(redirectUri);
const shownEvents = 50;

/** @typedef {import('node:http').IncomingMessage} Request */
/** @typedef {import('node:http').ServerResponse} Response */
/** @typedef {import('@assent/client').WebhookEvent} Event */

/** Acts for the advisor who connected. It refreshes their tokens by itself. */
let assent = newClient();
/** Authorizations under way: the state, which the browser has in a cookie, and the verifier, which never leaves here. */
const verifiers = /** @type {Map<string, string>} */ (new Map());
/** The latest first, of every advisor; and the browsers that watch, each for one advisor. */
const events = /** @type {Event[]} */ ([]);
const watchers = /** @type {Map<Response, number>} */ (new Map());

/** @typedef {(request: Request, response: Response, url: URL) => void | Promise<void>} Route */

/** @type {Record<string, Route>} */
const routes = {
  'GET /': showHome,
  'GET /connect': connect,
  'GET /callback': finishConnecting,
  'POST /disconnect': disconnect,
  'POST /texts': sendText,
  'GET /events': watchEvents,
  'POST /webhooks': receiveWebhook,
};

createServer(async (request, response) => {
  const url = new URL(request.url ?? '/', origin);
  const route = routes[`${request.method} ${url.pathname}`];
  try {
    // Another site must not submit our forms, nor reach us by a name of its own.
    const isForeign = request.headers.host !== host || ![undefined, origin].includes(request.headers.origin);
    if (!route || isForeign) return void send(response, 404, errorPage('There is no such page.'));
    await route(request, response, url);
  } catch (error) {
    showError(response, error);
  }
}).listen(Number(port), 'localhost', () => console.log(`Open ${origin}`));

/** @type {Route} */
async function showHome(_request, response, url) {
  if (!tokenStore.get()) return send(response, 200, connectPage());
  const search = url.searchParams.get('search') ?? '';
  const [account, contacts] = await Promise.all([
    assent.account.get(),
    assent.contacts.list({ pageSize: 8, ...(search && { search }) }),
  ]);
  const theirs = events.filter((event) => isFor(event, account.advisorId));
  send(response, 200, homePage({ account, contacts, search, events: theirs }));
}

/** @type {Route} */
async function connect(_request, response) {
  const { url, state, verifier } = await oauth.authorizeUrl({ authUrl, clientId: client.clientId, redirectUri, scope });
  verifiers.set(state, verifier);
  response.setHeader('set-cookie', `state=${state}; HttpOnly; SameSite=Lax; Path=/callback; Max-Age=600`);
  redirect(response, url);
}

/** @type {Route} */
async function finishConnecting(request, response, url) {
  const state = /(?:^|; )state=([\w-]+)/.exec(request.headers.cookie ?? '')?.[1] ?? '';
  const verifier = verifiers.get(state) ?? '';
  verifiers.delete(state);
  const { code } = oauth.callback(url, { state: verifier && state });
  await tokenStore.set(await oauth.exchange({ ...client, redirectUri, code, verifier }));
  assent = newClient();
  redirect(response, '/');
}

/** @type {Route} */
async function disconnect(_request, response) {
  const token = (await tokenStore.get())?.refreshToken ?? '';
  forgetAdvisor();
  const form = { token, client_id: client.clientId, client_secret: client.clientSecret };
  await fetch(new URL('revoke', client.tokenUrl), { method: 'POST', body: new URLSearchParams(form) });
  redirect(response, '/');
}

/** @type {Route} */
async function sendText(request, response) {
  const form = new URLSearchParams(String(await bodyOf(request)));
  const [phone, text] = [form.get('phone') ?? '', form.get('text') ?? ''];
  // The form's own, so that pressing the button again, also after an error, texts once.
  const idempotencyKey = form.get('key') ?? undefined;
  // If they haven't agreed yet, Assent asks them, keeps the text for a day, and sends it when they accept.
  const { failures } = await assent.messages.sendWithConsent({ phone, text }, { idempotencyKey });
  if (failures.length > 0) return send(response, 200, errorPage(failures.join(' ')));
  redirect(response, '/');
}

/** Server-sent events: the browser shows each as it comes. @type {Route} */
async function watchEvents(_request, response) {
  const { advisorId } = await assent.account.get();
  response.writeHead(200, { 'content-type': 'text/event-stream', 'cache-control': 'no-store' }).flushHeaders();
  watchers.set(response, advisorId);
  response.on('close', () => watchers.delete(response));
}

/** @type {Route} */
async function receiveWebhook(request, response) {
  // The body as it came: the signature is over its bytes.
  const event = await webhooks.verify(await bodyOf(request), request.headers, webhookSecret);
  // Events come at least once, so one that is known is only acknowledged.
  if (!events.some(({ id }) => id === event.id)) {
    events.unshift(event);
    events.length = Math.min(events.length, shownEvents);
    const row = `data: ${JSON.stringify(String(rowOf(event)))}\n\n`;
    for (const [watcher, advisorId] of watchers) if (isFor(event, advisorId)) watcher.write(row);
  }
  response.writeHead(204).end();
}

/** No advisor may see another's clients. A test is about nobody. @type {(event: Event, advisorId: number) => boolean} */
function isFor(event, advisorId) {
  return event.advisorId === null || event.advisorId === advisorId;
}

/** @type {(response: Response, error: unknown) => void} */
function showError(response, error) {
  if (!(error instanceof AssentError)) console.error(error);
  const { code, message, traceId } =
    error instanceof AssentError ? error : { code: '', message: 'Something went wrong here.', traceId: '' };
  if (code === 'signature') return void response.writeHead(401).end();
  // The advisor has disconnected us, or their password was reset: only they can let us in again.
  if (code === 'invalid_grant') {
    forgetAdvisor();
    return redirect(response, '/');
  }
  send(response, code ? 502 : 500, errorPage(message, traceId));
}

/** @type {(request: Request) => Promise<Buffer>} */
async function bodyOf(request) {
  const chunks = [];
  for await (const chunk of request) chunks.push(chunk);
  return Buffer.concat(chunks);
}

/** @type {(response: Response, status: number, page: string) => void} */
function send(response, status, page) {
  response.writeHead(status, { 'content-type': 'text/html; charset=utf-8', 'cache-control': 'no-store' }).end(page);
}

/** @type {(response: Response, location: string) => void} */
function redirect(response, location) {
  response.writeHead(303, { location }).end();
}

function forgetAdvisor() {
  tokenStore.forget();
  assent = newClient();
}

function newClient() {
  return new Assent({ baseUrl, apiKey, token: oauth.tokenSource({ ...client, store: tokenStore }) });
}

/** @type {(why: string) => never} */
function fail(why) {
  console.error(why);
  process.exit(1);
}
