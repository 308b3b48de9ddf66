// Twilio's and Telnyx's APIs as their documentation describes them, for stand-in.ts.
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text as readText } from 'node:stream/consumers';
import { setTimeout as pause } from 'node:timers/promises';
import { answerCalls } from '../../support/far-ends.ts';
import {
  type Arrival,
  accountSid,
  apiKey,
  authToken,
  type CallbackResponse,
  type Delivery,
  type Rule,
  type TakenText,
  type VendorName,
} from './stand-in.ts';
import * as telnyx from './telnyx-answers.ts';
import * as twilio from './twilio-answers.ts';

const dialects = { twilio, telnyx };
const taken: TakenText[] = [];
const arrivals: Arrival[] = [];
const mediaCredentials: string[] = [];
let rules: Rule[] = [];
let held = Promise.withResolvers<void>();
let port = 0;

const calls: Record<string, (...args: never[]) => unknown> = {
  async listen() {
    const server = createServer((request, response) => void answer(request, response).catch(() => response.destroy()));
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    ({ port } = server.address() as AddressInfo);
    return { port, publicKey: telnyx.publicKey };
  },
  behave(some: Rule[]) {
    rules = some;
  },
  release() {
    held.resolve();
    held = Promise.withResolvers();
  },
  taken: (to: string) => taken.filter((each) => each.to === to),
  requests: (to: string) => arrivals.filter(({ phone }) => phone === to).length,
  arrivals: () => arrivals,
  move(id: string, status: string, errorCode?: string) {
    Object.assign(find(id), { status, errorCode: errorCode ?? null });
  },
  record(some: Partial<TakenText>) {
    taken.push({ ...taken.at(-1), ...some } as TakenText);
  },
  async tell(
    id: string,
    statuses: { status: string; errorCode?: string; forged?: true }[],
  ): Promise<CallbackResponse[]> {
    const told: CallbackResponse[] = [];
    for (const { status, errorCode = null, forged } of statuses) {
      const message = Object.assign(find(id), { status, errorCode });
      const { headers, body } = dialects[message.vendor].statusCall(message, message.callback);
      told.push(await post(message.callback, headers, forged ? tampered(body) : body));
    }
    return told;
  },
  deliver(vendor: VendorName, delivery: Delivery, forged?: true): Promise<CallbackResponse> {
    const { headers, body } = dialects[vendor].replyCall(delivery);
    return post(delivery.url, headers, forged ? tampered(body) : body);
  },
  mediaCredentials: () => mediaCredentials,
};

function find(id: string): TakenText {
  const message = taken.find((each) => each.id === id);
  if (!message) throw new Error(`There is no text ${id}.`);
  return message;
}

/** One digit of a number differs from what was signed. */
function tampered(body: string): string {
  return body.replace(/\d(?=\D*$)/, (digit) => String((Number(digit) + 1) % 10));
}

async function post(url: string, headers: Record<string, string>, body: string): Promise<CallbackResponse> {
  const response = await fetch(url, { method: 'POST', headers, body });
  const type = response.headers.get('content-type') ?? '';
  return { status: response.status, type, body: await response.text(), at: Date.now() };
}

async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
  const url = new URL(request.url ?? '/', `http://${request.headers.host}`);
  if (url.pathname.startsWith('/media') || url.pathname.startsWith('/cdn')) return media(url, request, response);
  const vendor = url.pathname.startsWith('/telnyx/') ? 'telnyx' : 'twilio';
  if (url.pathname.includes('/nowhere/')) return send(response, dialects[vendor].notFound());
  if (url.pathname.includes('/page/'))
    return void response.writeHead(200, { 'content-type': 'text/html' }).end('<h1>Hi');
  const { authorization } = request.headers;
  if (authorization !== credentials[vendor]) return send(response, dialects[vendor].unauthorized());
  if (request.method === 'POST') return take(vendor, await readText(request), response);
  return send(response, dialects[vendor].look(url, taken));
}

const credentials = {
  twilio: `Basic ${Buffer.from(`${accountSid}:${authToken}`).toString('base64')}`,
  telnyx: `Bearer ${apiKey}`,
};

async function take(vendor: VendorName, body: string, response: ServerResponse): Promise<void> {
  const dialect = dialects[vendor];
  const given = dialect.readSubmission(body);
  arrivals.push({ phone: given.to, textingNumber: given.from, text: given.text, at: Date.now() });
  const rule = rules.find((each) => (each.times ?? 1) > 0 && (!each.to || each.to === given.to)) ?? {};
  rule.times = (rule.times ?? 1) - 1;
  const { does, error } = rule;
  if (rule.pauseMs) await pause(rule.pauseMs);
  if (rule.waits) await held.promise;
  if (does === 'drop') return void response.destroy();
  if (does === 'throttle') return send(response, dialect.throttled(), { 'retry-after': '1' });
  if (does === 'unavailable') return send(response, dialect.failed(503), { 'retry-after': '1' });
  if (does === 'busy') return send(response, dialect.failed(503));
  if (does === 'fail') return send(response, dialect.failed(500));
  if (does === 'page') return void response.writeHead(403, { 'content-type': 'text/html' }).end('<h1>Forbidden</h1>');
  if (error) return send(response, dialect.refused(error.code, error.status));
  const status = dialect.firstStatus;
  const message = {
    ...given,
    vendor,
    id: dialect.newId(),
    createdAt: new Date().toISOString(),
    status,
    errorCode: null,
    body,
  };
  taken.push(message);
  if (does === 'lose') return void response.destroy();
  if (does === 'fail_after_taking') return send(response, dialect.failed(500));
  if (does === 'no_id') return send(response, { status: 200, body: {} });
  send(response, dialect.accepted(message));
}

/** Twilio's media need credentials, and are then on another host. */
function media(url: URL, { headers }: IncomingMessage, response: ServerResponse): void {
  mediaCredentials.push(`${url.pathname} ${headers.authorization ?? 'none'}`);
  if (url.pathname === '/media/locked' && headers.authorization !== credentials.twilio)
    return void response.writeHead(401).end();
  if (url.pathname === '/media/locked')
    return void response.writeHead(307, { location: `http://localhost:${port}/cdn/picture` }).end();
  const kind = url.pathname.slice(url.pathname.lastIndexOf('/') + 1);
  if (kind === 'gone') return void response.writeHead(404).end();
  if (kind === 'private') return void response.writeHead(302, { location: 'http://169.254.169.254/latest' }).end();
  // Its headers come, and its end never does.
  if (kind === 'slow') return void response.writeHead(200, { 'content-type': 'image/png' }).write('PNG');
  const type = kind === 'page' ? 'Text/HTML; charset="utf-8"' : 'image/png';
  const bytes = { large: 5 * 1024 * 1024 + 1, whole: 5 * 1024 * 1024 }[kind] ?? 1_000;
  response.writeHead(200, { 'content-type': type }).end(Buffer.alloc(bytes, 7));
}

function send(response: ServerResponse, { status, body }: { status: number; body: unknown }, headers = {}): void {
  response.writeHead(status, { 'content-type': 'application/json', ...headers }).end(JSON.stringify(body));
}

answerCalls(calls);
