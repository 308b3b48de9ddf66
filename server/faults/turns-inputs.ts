import type { Schema } from '../fuzz/operations.ts';
import { appApiPath, ownOperations } from '../src/http/advisor/api/routes.ts';
import { consoleRoutes } from '../src/http/console/routes.ts';
import { bodyBytesMax } from '../src/http/door/body.ts';
import { routes as partnerRoutes } from '../src/http/partner/routes.ts';
import type { Door, Stage } from './turns-stage.ts';

/** A request with the largest input that its route takes, as far as the route's schemas tell: then it is refused for no other reason. */
export type Request = { door: Door; method: string; path: string; body?: object; isBySchema: boolean };

type Route = { door: Door; query?: Schema; body?: Schema };
/** A schema of several shapes is one of them. */
type AnySchema = Schema & { anyOf?: AnySchema[]; items?: AnySchema; properties?: Record<string, AnySchema> };

const byRoute = new Map<string, Route>([
  ...partnerRoutes.map((row) => routeOf('partner', row.method, `/v1${row.path}`, row)),
  ...ownOperations.map(([method, path, endpoint]) => routeOf('app', method, appApiPath + path, endpoint)),
  ...consoleRoutes.map(({ method, path, roles, endpoint }) =>
    routeOf(roles.includes('operator') ? 'operator' : 'console', method, path, endpoint),
  ),
]);

/** What ends the session, or the sandbox, that the others need, and takes nothing; streams, which don't end; and files. */
const left = /sign-out$|sessions\/end$|\/sandbox\/reset$|\/app\/api\/events$|\/log\/stream$|\.(css|js|woff2)$/;
/** The app has each of the partner's endpoints, too. */
const ofPartner = /^\/app\/api\/v1\//;

/** Of any page's form, or its script: fields that are as long as all of them may be together. But for `reset`, of the first page. */
const fields =
  'act advisorId again application challenge clientId code credentialId current email eventId label move name next password phone quick response staffId text to token url';
const formLength = 15_000;
/** OAuth takes forms of 56 kB, and addresses of 16. */
const [tokenLength, stateLength] = [50_000, 12_000];
/** There is nobody of that number: what such a request would change, others need. */
const nobody = 900_000_000;
/** Of fields that no schema describes. */
const words: Record<string, string> = { timeZone: 'America/New_York', kind: 'help', scope: 'text.messaging.read' };
let named = 0;

/** One of each route that isn't asked by hand; of a page's, one as its form sends it and one as its script does. */
export function requestsFor(stage: Stage, isByHand: (method: string, url: string) => boolean): Request[] {
  return stage.routes.flatMap((route): Request[] => {
    const [method = '', url = ''] = route.split(' ');
    if (method === 'HEAD' || left.test(url) || ofPartner.test(url) || isByHand(method, url)) return [];
    const path = url.replace(/\*$/, '').replace(/:(\w+)/g, (_, name) => valueInPath(stage, name, method === 'GET'));
    const given = byRoute.get(route);
    if (given) {
      const { door, query, body } = given;
      return [{ door, method, path: path + search(query), ...(body && { body: fitting(body) }), isBySchema: true }];
    }
    const common = { door: doorOf(url), method, path, isBySchema: false };
    if (method === 'GET') return [{ ...common, path: `${path}?${authorization(stage)}` }];
    const form = url.startsWith('/oauth/') ? tokenForm(stage) : formOf(fields.split(' '));
    return [
      { ...common, body: form },
      { ...common, body: new URLSearchParams(form) },
    ];
  });
}

function routeOf(
  door: Door,
  method: string,
  url: string,
  { query, body }: object & { query?: unknown; body?: unknown },
): [string, Route] {
  return [`${method} ${url}`, { door, query: query as Schema, body: body as Schema }];
}

function doorOf(url: string): Door {
  if (url.startsWith('/console')) return 'console';
  return url.startsWith('/sandbox') ? 'partner' : 'app';
}

/** Pages look at none of it. */
function authorization({ client: { client_secret: _, ...client } }: Stage): URLSearchParams {
  const challenge = { code_challenge: 'a'.repeat(43), code_challenge_method: 'S256' };
  const scope = words.scope ?? '';
  return new URLSearchParams({ ...client, response_type: 'code', scope, ...challenge, state: 'a'.repeat(stateLength) });
}

function tokenForm({ client }: Stage): Record<string, string> {
  const token = 'a'.repeat(tokenLength);
  return { ...client, grant_type: 'refresh_token', refresh_token: token, token };
}

function formOf(names: string[]): Record<string, string> {
  return Object.fromEntries(names.map((name) => [name, 'a '.repeat(formLength / names.length / 2)]));
}

function valueInPath(stage: Stage, name: string, isRead: boolean): string {
  const { advisor, memberId, entryNumber, reviewId, groupId, phones } = stage;
  const entry = { number: entryNumber, replyNumber: entryNumber };
  const known: Record<string, unknown> = { advisorId: advisor.id, memberId, reviewId, groupId, ...entry };
  if (name === 'phone') return encodeURIComponent(phones[1] ?? '');
  return String((isRead && known[name]) || nobody);
}

function search(schema: Schema | undefined): string {
  // Only a list itself makes cursors.
  const { cursor: _, ...given } = (schema ? largest(schema, '', 1) : {}) as Record<string, unknown>;
  const values = Object.entries(given);
  return values.length > 0
    ? `?${values.map(([name, value]) => `${name}=${encodeURIComponent(String(value))}`).join('&')}`
    : '';
}

/** Of a schema that allows more than a body has room for, as much as there is. */
function fitting(schema: Schema): object {
  for (let part = 1; ; part /= 2) {
    const body = largest(schema, '', part) as object;
    if (JSON.stringify(body).length < bodyBytesMax) return body;
  }
}

function largest(schema: AnySchema, name: string, part: number, index = 0): unknown {
  const { anyOf, items = {}, properties = {} } = schema;
  if (anyOf) return largest(anyOf[0] ?? {}, name, part, index);
  if (schema.enum) return schema.enum.find(Boolean);
  const [type = 'object'] = [schema.type ?? []].flat();
  const sizeOf = (most = 1_000, least = 0) => Math.max(least, Math.floor(most * part));
  if (type === 'array') {
    const length = sizeOf(schema.maxItems, schema.minItems);
    return Array.from({ length }, (_, each) => largest(items, name.replace(/s$/, ''), part, each));
  }
  if (type === 'object')
    return Object.fromEntries(Object.entries(properties).map(([each, of]) => [each, largest(of, each, part)]));
  if (type === 'boolean') return true;
  if (type === 'string') return textOf(schema, name, sizeOf(schema.maxLength, schema.minLength), index);
  if (/^page$|after|before|cursor/i.test(name)) return 1;
  return /Ids?$/.test(name) ? nobody + index : (schema.maximum ?? schema.minimum ?? 1);
}

function textOf(schema: Schema, name: string, length: number, index: number): string {
  const { pattern = '', format, 'x-format': own } = schema;
  if (words[name]) return words[name];
  if (pattern.includes('0-9]{1,15}')) return pattern.includes('mr') ? 'm1' : '1';
  if (/phone|number/i.test(name) || pattern.includes('[1-9]'))
    return `+1213555${String(index % 10_000).padStart(4, '0')}`;
  if (format === 'date') return '2026-03-01';
  if (format === 'date-time' || /^(from|until|since)$|Since$/.test(name)) return '2026-03-01T17:05:00Z';
  if (/email/i.test(name) || pattern.includes('@')) return `${named++}${'a'.repeat(55)}@example.com`;
  if (name === 'name') return `${named++}-${'a'.repeat(Math.min(length, 50) - 10)}`;
  if (own === 'web-address' || /url|uri/i.test(name))
    return `https://example.com/${'a'.repeat(Math.max(0, length - 30))}`;
  return `${name} ${index} ${'client account '.repeat(length / 15 + 1)}`.slice(0, length);
}
