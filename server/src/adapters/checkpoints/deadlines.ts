/** Aborted after the timeout, or when `until` is. */
export function within(timeoutMs: number, until: AbortSignal | undefined): AbortSignal {
  const timeout = AbortSignal.timeout(timeoutMs);
  return until ? AbortSignal.any([timeout, until]) : timeout;
}
