import type { ProblemCode } from './types.ts';

/**
 * The contract's codes; what a call can end with when no answer came or it made no sense; and OAuth's own. The list is open: a
 * newer server may add codes.
 */
export type ErrorCode =
  | ProblemCode
  | 'connection'
  | 'timeout'
  | 'bad_response'
  | 'signature'
  | 'state'
  | 'access_denied'
  | 'invalid_grant'
  | (string & {});

export type ErrorInit = {
  code: ErrorCode;
  /** The HTTP status; 0 if no answer came. */
  status?: number;
  traceId?: string | undefined;
  retryable?: boolean;
  details?: unknown;
  /** How long the server asks to wait before the next attempt. */
  retryAfterMs?: number | undefined;
  idempotencyKey?: string | undefined;
  cause?: unknown;
};

/** Every error of this client, except an abort, which rejects with the signal's reason. Quote `traceId` to support. */
export class AssentError extends Error {
  override readonly name = 'AssentError';
  readonly code: ErrorCode;
  readonly status: number;
  readonly traceId: string | undefined;
  readonly retryable: boolean;
  readonly details: unknown;
  readonly retryAfterMs: number | undefined;
  /** Of a POST: pass it when you make the call again. Without an answer it may have taken effect, and a new key would text twice. */
  readonly idempotencyKey: string | undefined;

  constructor(
    message: string,
    { code, status = 0, traceId, retryable = false, details, retryAfterMs, idempotencyKey, cause }: ErrorInit,
  ) {
    super(message, cause === undefined ? undefined : { cause });
    this.code = code;
    this.status = status;
    this.traceId = traceId;
    this.retryable = retryable;
    this.details = details;
    this.retryAfterMs = retryAfterMs;
    this.idempotencyKey = idempotencyKey;
  }
}
