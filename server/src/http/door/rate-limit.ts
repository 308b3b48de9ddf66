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

export function overPlan(retryAfterSeconds: number) {
  return problem('rate_limited', `The API key is over its usage plan: retry after ${retryAfterSeconds} s.`, {
    retryAfterSeconds,
  });
}
