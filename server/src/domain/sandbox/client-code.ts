/** A call, by the path at the origin with its query. `body` is what its JSON has. */
type CodedCall = { method: string; path: string; body?: unknown };

/** Each operation's method in the client. The ids of its path are the first arguments, and then comes the query or the body. */
const operations: [method: string, path: RegExp, name: string][] = [
  ['POST', /^\/text\/messaging\/messages$/, 'messages.send'],
  ['POST', /^\/text\/messaging\/messages\/check$/, 'messages.check'],
  ['POST', /^\/text\/messaging\/consent-requests$/, 'consents.request'],
  ['GET', /^\/text\/messaging\/consents$/, 'consents.get'],
  ['PUT', /^\/text\/messaging\/scheduled-messages\/(\d+)$/, 'scheduledMessages.update'],
  ['DELETE', /^\/text\/messaging\/scheduled-messages\/(\d+)$/, 'scheduledMessages.cancel'],
  ['POST', /^\/core\/contact\/contacts$/, 'contacts.create'],
  ['PUT', /^\/core\/contact\/contacts\/(\d+)$/, 'contacts.update'],
  ['PUT', /^\/core\/contact\/contacts\/(\d+)\/groups$/, 'contacts.replaceGroups'],
  ['DELETE', /^\/core\/contact\/contacts\/(\d+)$/, 'contacts.delete'],
  ['POST', /^\/core\/contact\/groups$/, 'groups.create'],
  ['DELETE', /^\/core\/contact\/groups\/(\d+)$/, 'groups.delete'],
];

/** What stands for the credentials in code on a page: copying puts them in. */
export const placeholders = { apiKey: 'YOUR_API_KEY', accessToken: 'YOUR_TOKEN' };

export function clientOf(publicUrl: string): string {
  return `import { Assent } from '@assent/client';

const assent = new Assent({
  baseUrl: '${publicUrl}/v1',
  apiKey: '${placeholders.apiKey}',
  token: '${placeholders.accessToken}',
});
`;
}

/** The call as an expression with @assent/client. The sandbox's own routes aren't in it, so they are called with fetch. */
export function clientCodeOf(call: CodedCall, publicUrl: string): string {
  const [path = '', query] = call.path.replace(/^\/v1/, '').split('?');
  for (const [method, pattern, name] of operations) {
    const found = method === call.method && pattern.exec(path);
    if (!found) continue;
    const given = query ? Object.fromEntries(new URLSearchParams(query)) : call.body;
    const values = [...found.slice(1), ...(given === undefined ? [] : [literal(given)])];
    return `await assent.${name}(${values.join(', ')})`;
  }
  return fetchOf(call, publicUrl);
}

function fetchOf({ method, path, body }: CodedCall, publicUrl: string): string {
  const headers = [
    `'x-api-key': '${placeholders.apiKey}'`,
    ...(path.startsWith('/v1') ? [`authorization: 'Bearer ${placeholders.accessToken}'`] : []),
    ...(body === undefined ? [] : [`'content-type': 'application/json'`]),
  ];
  const fields = [
    `method: '${method}'`,
    `headers: {\n    ${headers.join(',\n    ')},\n  }`,
    ...(body === undefined ? [] : [`body: JSON.stringify(${onOneLine(body)})`]),
  ];
  return `await fetch('${publicUrl}${path}', {\n${fields.map((field) => `  ${field},\n`).join('')}})`;
}

/** As people write it: a field on one line, several each on its own. */
function literal(value: unknown): string {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return onOneLine(value);
  const fields = fieldsOf(value);
  return fields.length < 2 ? onOneLine(value) : `{\n${fields.map((field) => `  ${field},\n`).join('')}}`;
}

function onOneLine(value: unknown): string {
  if (typeof value === 'string') return quoted(value);
  if (Array.isArray(value)) return `[${value.map(onOneLine).join(', ')}]`;
  if (typeof value === 'object' && value !== null) return `{ ${fieldsOf(value).join(', ')} }`;
  return String(value);
}

function fieldsOf(value: object): string[] {
  return Object.entries(value).flatMap(([name, each]) => (each === undefined ? [] : `${name}: ${onOneLine(each)}`));
}

function quoted(text: string): string {
  return `'${JSON.stringify(text).slice(1, -1).replaceAll('\\"', '"').replaceAll("'", "\\'")}'`;
}
