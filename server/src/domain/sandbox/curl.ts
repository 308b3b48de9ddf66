import type { LoggedCall } from './call-log.ts';
import { redacted } from './redaction.ts';

/** What curl and Node say by themselves. */
const own =
  /^(?:host|connection|content-length|user-agent|accept|accept-encoding|accept-language|sec-.*|traceparent)$/i;
/** Where the reader's own credentials go. */
const variables: [header: RegExp, value: string][] = [
  [/^authorization$/i, 'Bearer $TOKEN'],
  [/^x-api-key$/i, '$KEY'],
];

/** The same call for a shell. What was left out of it is a variable. */
export function curlOf(
  { method, path, request }: Pick<LoggedCall, 'method' | 'path' | 'request'>,
  publicUrl: string,
): string {
  const headers = request.headers.filter(([name]) => !own.test(name)).flatMap(([name, value]) => headerOf(name, value));
  const lines = [
    `curl ${methodOf(method, request.body)}${quoted(publicUrl + path)}`,
    ...headers.map((header) => `-H ${header}`),
    ...(request.body ? [`--data-raw ${quoted(request.body)}`] : []),
  ];
  return lines.join(' \\\n  ');
}

/** With a body curl posts, and without one it gets. A HEAD by `-X` waits for a body that never comes. */
function methodOf(method: string, body: string): string {
  if (method === 'HEAD') return '--head ';
  return method === (body ? 'POST' : 'GET') ? '' : `-X ${method} `;
}

function headerOf(name: string, value: string): string[] {
  const known = variables.find(([header]) => header.test(name))?.[1];
  if (known) return [`"${name}: ${known}"`];
  return value.includes(redacted) ? [] : [quoted(`${name}: ${value}`)];
}

function quoted(text: string): string {
  return `'${text.replaceAll("'", `'\\''`)}'`;
}
