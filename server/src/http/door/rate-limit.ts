import type { Use } from '../../domain/access/usage-plans.ts';
import { problem } from '../../domain/problems.ts';

/** `RateLimit-Policy` says what the plan allows, `RateLimit` what is left. A key without a plan has neither. */
export function rateLimitHeaders({ allowances }: Use): Record<string, string> {
  if (allowances.length === 0) return {};
  return {
    'ratelimit-policy': allowances
      .map(({ name, quota, windowSeconds }) => `"${name}";q=${quota};w=${windowSeconds}`)
      .join(', '),
    ratelimit: allowances
      .map(({ name, remaining, resetSeconds }) => `"${name}";r=${remaining};t=${resetSeconds}`)
      .join(', '),
  };
}

const comeBackSecondsMax = 3;

/** Those who come back together would be turned away together. */
export function overloaded() {
  const retryAfterSeconds = 1 + Math.floor(Math.random() * comeBackSecondsMax);
  const detail = `More requests have arrived than can be answered; nothing was done. Retry after ${retryAfterSeconds} s.`;
  return problem('rate_limited', detail, { retryAfterSeconds });
}

/** The limit that refused the request is the last one looked at. */
export function overPlan({ allowances }: Use, retryAfterSeconds: number) {
  const limit = allowances.at(-1);
  const [what, when] =
    limit?.name === 'day'
      ? [`has used up its usage plan’s daily quota of ${limit.quota}`, ', at midnight UTC']
      : ['sends requests faster than its usage plan allows', ''];
  const detail = `The API key ${what}; nothing was done. Retry after ${retryAfterSeconds} s${when}.`;
  return problem('rate_limited', detail, { retryAfterSeconds });
}
