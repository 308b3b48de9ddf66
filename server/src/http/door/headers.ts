import type { IncomingMessage } from 'node:http';

/** On every response, whichever code writes it. */
export function commonHeaders(traceId: string): Record<string, string> {
  return { 'x-trace-id': traceId, 'x-content-type-options': 'nosniff', 'cache-control': 'no-store' };
}

/** Whether the header was sent more than once. Node drops the later ones of some headers without a word. */
export function isRepeated({ rawHeaders }: Pick<IncomingMessage, 'rawHeaders'>, name: string): boolean {
  let seen = false;
  for (let index = 0; index < rawHeaders.length; index += 2) {
    const each = rawHeaders[index] ?? '';
    if (each.length !== name.length || each.toLowerCase() !== name) continue;
    if (seen) return true;
    seen = true;
  }
  return false;
}
