/** On every response, whichever code writes it. */
export function commonHeaders(traceId: string): Record<string, string> {
  return { 'x-trace-id': traceId, 'x-content-type-options': 'nosniff', 'cache-control': 'no-store' };
}
