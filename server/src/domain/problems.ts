import { DatabaseBusy, DatabaseTimeout, DatabaseUnavailable, OutcomeUnknown } from '../store/database/errors.ts';

/**
 * The twelve problems of the contract. The list is closed: whatever goes wrong on `/v1` is one of these. Each has a
 * page of its own at its `type`, made from this table; docs/reference/errors.md is generated from it too.
 */
export const problems = {
  invalid_request: {
    status: 400,
    retryable: false,
    title: 'Invalid request',
    when: 'The request can’t be understood or breaks a rule: malformed JSON, a missing or wrong field, a phone number that is not in E.164, a consent request for a number that has already accepted.',
    next: 'Read `details`: each item has the `path` of the field, the `rule` it breaks and a `message`. Mend the request; sending it again unchanged gives the same answer.',
  },
  unauthorized: {
    status: 401,
    retryable: false,
    title: 'Unauthorized',
    when: 'The access token or the API key is missing, unknown, expired, revoked or of another environment. `detail` says which of the two.',
    next: 'Refresh the access token and send the request again with both `Authorization: Bearer …` and `x-api-key: …`.',
  },
  forbidden: {
    status: 403,
    retryable: false,
    title: 'Forbidden',
    when: 'The access token lacks the scope that this route needs. `detail` names it.',
    next: 'Ask the advisor to authorize the application again with that scope.',
  },
  not_found: {
    status: 404,
    retryable: false,
    title: 'Not found',
    when: 'There is no such route, contact, group or message on this advisor’s account, or no contact owns that phone number.',
    next: 'Check the path and the id. What belongs to another advisor answers the same way.',
  },
  conflict: {
    status: 409,
    retryable: false,
    title: 'Conflict',
    when: 'The advisor’s account is not configured for consent collection.',
    next: 'Contact the operator, who can set it up.',
  },
  version_mismatch: {
    status: 400,
    retryable: false,
    title: 'Version mismatch',
    when: 'The path or the `X-API-Version` header asks for a version that is not served here.',
    next: 'Use `/v1`, and leave `X-API-Version` out or send `1`.',
  },
  rate_limited: {
    status: 429,
    retryable: true,
    title: 'Too many requests',
    when: 'The API key is over its usage plan, or the server is shedding load. Nothing was done.',
    next: 'Wait as many seconds as `Retry-After` says, then send the same request again. `RateLimit` on every answer shows what is left.',
  },
  payload_too_large: {
    status: 413,
    retryable: false,
    title: 'Payload too large',
    when: 'The request body is over 256 KiB.',
    next: 'Split it into several requests.',
  },
  unsupported_media_type: {
    status: 415,
    retryable: false,
    title: 'Unsupported media type',
    when: 'The body is not `application/json` in UTF-8, or it is compressed.',
    next: 'Send `Content-Type: application/json` and no `Content-Encoding`.',
  },
  downstream_timeout: {
    status: 504,
    retryable: true,
    title: 'Downstream timeout',
    when: 'The database, or the identity provider where one is set, took too long. Nothing was done, unless `details.outcome` is `unknown`.',
    next: 'Retry with backoff. With the same `Idempotency-Key` a retry is safe even where the outcome is unknown.',
  },
  downstream_unavailable: {
    status: 502,
    retryable: true,
    title: 'Downstream unavailable',
    when: 'The database, or the identity provider where one is set, can’t be reached. Nothing was done.',
    next: 'Retry with backoff.',
  },
  internal_error: {
    status: 500,
    retryable: true,
    title: 'Internal error',
    when: 'Something failed on our side that should not have. Nothing was done.',
    next: 'Retry with backoff; if it stays, quote the `traceId` to support.',
  },
} as const satisfies Record<string, ProblemKind>;

export type ProblemKind = { status: number; retryable: boolean; title: string; when: string; next: string };
export type ProblemCode = keyof typeof problems;
export const problemCodes = Object.keys(problems) as ProblemCode[];

/** One broken rule of the input: where, which, and a sentence for a person. */
export type BrokenRule = { path: string; rule: string; message: string };
export const brokenRulesMax = 100;

type Extra = { details?: BrokenRule[] | Record<string, unknown>; retryAfterSeconds?: number; cause?: unknown };

/** A whole request that fails. `detail` is public; `cause` is only logged. */
export class Problem extends Error {
  readonly code: ProblemCode;
  readonly details: Extra['details'];
  readonly retryAfterSeconds: number | undefined;

  constructor(code: ProblemCode, detail: string, extra: Extra = {}) {
    super(detail, { cause: extra.cause });
    this.code = code;
    this.details = extra.details;
    this.retryAfterSeconds = extra.retryAfterSeconds;
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

/** Bad input: `details` has the broken rules, at most brokenRulesMax, and `detail` tells the first in a sentence. */
export function invalid(broken: BrokenRule[], cause?: unknown): Problem {
  const details = broken.slice(0, brokenRulesMax);
  const more = details.length > 1 ? ` (and ${details.length - 1} more in details)` : '';
  return new Problem('invalid_request', `${broken[0]?.message ?? 'The request is invalid.'}${more}`, {
    details,
    cause,
  });
}

/** The problem that an error is, or stands for; none where it is a fault of ours. */
export function problemIn(error: unknown): Problem | undefined {
  return error instanceof Problem ? error : fromDatabase(error);
}

/** What the store throws when the database fails, if it is that. */
function fromDatabase(error: unknown): Problem | undefined {
  if (error instanceof DatabaseUnavailable)
    return problem('downstream_unavailable', 'The database can’t be reached; nothing was done. Retry with backoff.', {
      cause: error,
    });
  if (error instanceof DatabaseTimeout)
    return problem('downstream_timeout', 'The database took too long; nothing was done. Retry with backoff.', {
      cause: error,
    });
  if (error instanceof DatabaseBusy)
    return problem('rate_limited', 'The server is busy; nothing was done. Retry after a second.', {
      cause: error,
      retryAfterSeconds: 1,
    });
  if (error instanceof OutcomeUnknown)
    return problem(
      'downstream_timeout',
      'The database went away at the last step, and whether the request took effect is not known. Retry with the same Idempotency-Key.',
      { cause: error, details: { outcome: 'unknown' } },
    );
  return undefined;
}
