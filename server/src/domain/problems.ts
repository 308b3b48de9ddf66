import {
  DatabaseBusy,
  DatabaseTimeout,
  DatabaseUnable,
  DatabaseUnavailable,
  OutcomeUnknown,
} from '../store/database/errors.ts';

/**
 * The contract's twelve problems. The list is closed: every error on `/v1` is one of these. Each has its own page at its
 * `type`, made from this table; docs/reference/errors.md is generated from it too.
 */
export const problems = {
  invalid_request: {
    status: 400,
    retryable: false,
    title: 'Invalid request',
    when: 'The request can’t be parsed or breaks a rule: malformed JSON, a missing or wrong field, a phone number that is not in E.164 format, or a consent request for a number that has already accepted.',
    next: 'Read `detail`, and for a wrong field `details`. Fix the request.',
  },
  unauthorized: {
    status: 401,
    retryable: false,
    title: 'Unauthorized',
    when: 'The access token or the API key is missing, unknown, expired, revoked or for a different environment; the two belong to different applications; or the application or the advisor’s account is disabled. `detail` says which.',
    next: 'Refresh the access token; if that fails, the advisor must authorize the application again. Use the API key that the operator issued for this environment. Send both with every request: `Authorization: Bearer …` and `x-api-key: …`.',
  },
  forbidden: {
    status: 403,
    retryable: false,
    title: 'Forbidden',
    when: 'The access token lacks the scope that this route needs. `detail` names it.',
    next: 'Ask the advisor to authorize the application again with that scope, or with client credentials for a token with it. If it is not provisioned for the application, contact the operator.',
  },
  not_found: {
    status: 404,
    retryable: false,
    title: 'Not found',
    when: 'There is no such route; no such contact, group, message or scheduled message on the advisor’s account; or no contact owns that phone number.',
    next: 'Check the path, the id, and that the access token is for the right advisor. A phone number gets a contact with the first send or consent request to it.',
  },
  conflict: {
    status: 409,
    retryable: false,
    title: 'Conflict',
    when: 'The advisor’s account is not configured for consent collection, it has no texting number, or no carrier is connected for that number. `detail` says which.',
    next: 'Contact the operator, who can set it up.',
  },
  version_mismatch: {
    status: 400,
    retryable: false,
    title: 'Version mismatch',
    when: 'The path or the `X-API-Version` header asks for a version that this server doesn’t serve.',
    next: 'Use `/v1`, and send `X-API-Version: 1` or leave the header out.',
  },
  rate_limited: {
    status: 429,
    retryable: true,
    title: 'Too many requests',
    when: 'The API key is over its usage plan, or the server is overloaded. Nothing was done.',
    next: 'Wait the seconds in `Retry-After`, then send it again. `RateLimit` on every response shows what is left.',
  },
  payload_too_large: {
    status: 413,
    retryable: false,
    title: 'Payload too large',
    when: 'The request body is larger than 256 KiB.',
    next: 'Split it into several requests.',
  },
  unsupported_media_type: {
    status: 415,
    retryable: false,
    title: 'Unsupported media type',
    when: 'The body is not `application/json` in UTF-8, or it is compressed. `detail` says which.',
    next: 'Send `Content-Type: application/json` and no `Content-Encoding`.',
  },
  downstream_timeout: {
    status: 504,
    retryable: true,
    title: 'Downstream timeout',
    when: 'The database took too long. Nothing was done, unless `details.outcome` is `unknown`.',
    next: 'Retry with backoff, with the same `Idempotency-Key` if the outcome is unknown.',
  },
  downstream_unavailable: {
    status: 502,
    retryable: true,
    title: 'Downstream unavailable',
    when: 'The database can’t be reached, or it can’t store anything, because its disk is full for example. Nothing was done.',
    next: 'Retry with backoff: wait a second, then twice as long after each failure.',
  },
  internal_error: {
    status: 500,
    retryable: true,
    title: 'Internal error',
    when: 'Something went wrong on our side. Nothing was done.',
    next: 'Retry with backoff. If it keeps failing, quote the `traceId` to support.',
  },
} as const satisfies Record<string, ProblemKind>;

type ProblemKind = { status: number; retryable: boolean; title: string; when: string; next: string };
export type ProblemCode = keyof typeof problems;
export const problemCodes = Object.keys(problems) as ProblemCode[];

/** One broken rule of the input: where, which, and a sentence for people. */
export type BrokenRule = { path: string; rule: string; message: string };
export const brokenRulesMax = 100;

type Extra = {
  details?: BrokenRule[] | Record<string, unknown>;
  retryAfterSeconds?: number;
  /** An access token was given, and it is the reason. */
  isInvalidToken?: boolean;
  cause?: unknown;
};

/** The whole request fails. `detail` is public; `cause` is only logged. */
export class Problem extends Error {
  readonly code: ProblemCode;
  readonly details: Extra['details'];
  readonly retryAfterSeconds: number | undefined;
  readonly isInvalidToken: boolean;

  constructor(code: ProblemCode, detail: string, extra: Extra = {}) {
    super(detail, { cause: extra.cause });
    this.code = code;
    this.details = extra.details;
    this.retryAfterSeconds = extra.retryAfterSeconds;
    this.isInvalidToken = extra.isInvalidToken ?? false;
  }

  get detail(): string {
    return this.message;
  }

  get status(): number {
    return problems[this.code].status;
  }

  get retryable(): boolean {
    return problems[this.code].retryable;
  }
}

/** `throw problem('conflict', 'Consent collection is not set up for this advisor.')` */
export function problem(code: ProblemCode, detail: string, extra?: Extra): Problem {
  return new Problem(code, detail, extra);
}

/** What was looked for, or the Problem that there is none. */
export function requireFound<Value>(value: Value | null | undefined, detail: string): Value {
  if (value === null || value === undefined) throw new Problem('not_found', detail);
  return value;
}

/** Bad input: `details` has the broken rules, at most brokenRulesMax, and `detail` is the first one's sentence. */
export function invalid(broken: BrokenRule[], cause?: unknown): Problem {
  const details = broken.slice(0, brokenRulesMax);
  const more = details.length > 1 ? ` (and ${details.length - 1} more in details)` : '';
  return new Problem('invalid_request', `${broken[0]?.message ?? 'The request is invalid.'}${more}`, {
    details,
    cause,
  });
}

/** The error as a problem, or undefined if it is a bug of ours. */
export function problemIn(error: unknown): Problem | undefined {
  return error instanceof Problem ? error : fromDatabase(error);
}

/** The problem for an error that the store throws when the database fails. */
function fromDatabase(error: unknown): Problem | undefined {
  if (error instanceof DatabaseUnable)
    return problem(
      'downstream_unavailable',
      'The database can’t store anything now; nothing was done. Retry with backoff.',
      { cause: error },
    );
  if (error instanceof DatabaseUnavailable)
    return problem('downstream_unavailable', 'The database can’t be reached; nothing was done. Retry with backoff.', {
      cause: error,
    });
  if (error instanceof DatabaseTimeout)
    return problem('downstream_timeout', 'The database took too long; nothing was done. Retry with backoff.', {
      cause: error,
    });
  if (error instanceof DatabaseBusy)
    return problem('rate_limited', 'The server is busy; nothing was done. Retry after one second.', {
      cause: error,
      retryAfterSeconds: 1,
    });
  if (error instanceof OutcomeUnknown)
    return problem(
      'downstream_timeout',
      'The connection to the database broke during the commit, so it is not known whether the request took effect. Retry with the same Idempotency-Key; without one, look first whether it did.',
      { cause: error, details: { outcome: 'unknown' } },
    );
  return undefined;
}
