import assert from 'node:assert/strict';
import { type ProblemCode, problemCodes, problems } from '../../src/domain/problems.ts';
import type { Answer } from './world.ts';

/** The answer is the documented problem: every required field, the code's own status and no unknown field. */
export function assertProblem(answer: Answer, code: ProblemCode, detail?: RegExp): void {
  const { body, headers, status } = answer;
  const shown = `${status} ${JSON.stringify(body)}`;
  assert.equal(body?.code, code, shown);
  assert.ok(problemCodes.includes(body.code));
  assert.equal(status, problems[code].status, shown);
  assert.match(headers['content-type'] ?? '', /^application\/problem\+json\b/);
  assert.equal(headers['cache-control'], 'no-store', shown);
  assert.equal(body.status, status);
  assert.equal(body.retryable, problems[code].retryable);
  assert.equal(body.title, problems[code].title);
  assert.ok(body.type.endsWith(`/problems/${code}`) && URL.canParse(body.type), body.type);
  assert.equal(typeof body.detail, 'string');
  assert.match(body.detail, /^\S.*[.)]$/, 'the detail is a sentence');
  assert.doesNotMatch(body.detail, /undefined|NaN|\[object| {2}/);
  assert.equal(typeof body.instance, 'string');
  assert.ok(!body.instance.includes('?'), body.instance);
  assert.match(body.traceId, /^[0-9a-f]{32}$/);
  assert.equal(headers['x-trace-id'], body.traceId, 'the header has the trace id of the body');
  const known = ['type', 'title', 'status', 'detail', 'instance', 'code', 'traceId', 'retryable', 'details'];
  assert.deepEqual(
    Object.keys(body).filter((field) => !known.includes(field)),
    [],
  );
  if (code === 'rate_limited') assert.match(headers['retry-after'] ?? '', /^[1-9]\d*$/);
  if (detail) assert.match(body.detail, detail);
}
