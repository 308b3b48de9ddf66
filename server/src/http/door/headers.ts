import type { IncomingMessage } from 'node:http';

/** Of the URL and all headers of a request. */
export const headerBytesMax = 16 * 1024;
const twoYearsSeconds = 2 * 365 * 24 * 60 * 60;

/** On every response, whichever code writes it. */
export function commonHeaders(traceId: string, publicUrl: string): Record<string, string> {
  return {
    'x-trace-id': traceId,
    'x-content-type-options': 'nosniff',
    'cache-control': 'no-store',
    ...(isSecure(publicUrl) ? { 'strict-transport-security': `max-age=${twoYearsSeconds}` } : {}),
  };
}

export function isSecure(publicUrl: string): boolean {
  return publicUrl.startsWith('https:');
}

/** Without the query, which may carry a phone number or a name. */
export function pathOf({ url = '/' }: { url?: string | undefined }): string {
  return url.split('?', 1)[0] ?? '/';
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
