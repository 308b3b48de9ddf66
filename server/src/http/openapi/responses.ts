import { type Problem, type ProblemCode, problem, problems } from '../../domain/problems.ts';
import { ProblemBody } from '../../schemas/shared/problem.ts';
import { problemBody } from '../door/problems.ts';
import type { Schema, Shapes } from './shapes.ts';

const traceId = '4bf92f3577b34da6a3ce929d0e0e4736';
const instance = '/v1/text/messaging/messages';

/** The headers of responses, by their names in the document. */
export const headerComponents = {
  TraceId: header('The trace id of this request.', traceId),
  RateLimit: header('The usage plan’s remaining allowance.', '"burst";r=99;t=1'),
  RateLimitPolicy: header('The usage plan’s limits.', '"burst";q=100;w=2'),
  RetryAfter: { description: 'Seconds to wait.', schema: { type: 'integer', minimum: 1 }, example: 1 },
  IdempotentReplayed: header('`true` if the response is a replay.', 'true'),
  WwwAuthenticate: header('Names the error if an access token was sent.', 'Bearer error="invalid_token"'),
};

export const commonHeaders = headers({
  'x-trace-id': 'TraceId',
  RateLimit: 'RateLimit',
  'RateLimit-Policy': 'RateLimitPolicy',
});
export const replayHeader = headers({ 'Idempotent-Replayed': 'IdempotentReplayed' });
const ownHeaders: Partial<Record<ProblemCode, object>> = {
  rate_limited: headers({ 'Retry-After': 'RetryAfter' }),
  unauthorized: headers({ 'WWW-Authenticate': 'WwwAuthenticate' }),
};

function header(description: string, example: string) {
  return { description, schema: { type: 'string' }, example };
}

function headers(names: Record<string, keyof typeof headerComponents>): Record<string, object> {
  const entries = Object.entries(names);
  return Object.fromEntries(entries.map(([name, component]) => [name, { $ref: `#/components/headers/${component}` }]));
}

/** The `details` that the server sends with them. */
const exampleDetails: Partial<Record<ProblemCode, Problem['details']>> = {
  invalid_request: [{ path: '/text', rule: 'required', message: 'text is required.' }],
  forbidden: { scope: 'text.messaging.write' },
};

/** A response for each status, because two codes may share one. */
export function problemResponses(codes: ProblemCode[], { refer }: Shapes, publicUrl: string) {
  const byStatus = Map.groupBy(codes, (code): number => problems[code].status);
  const nameOf = (status: number) => pascalCase(byStatus.get(status)?.[0] ?? '');
  const schema = refer(ProblemBody as Schema);
  const example = (code: ProblemCode) => {
    const details = exampleDetails[code];
    const detail = Array.isArray(details) ? details[0]?.message : firstSentence(problems[code].when);
    return { value: problemBody(problem(code, detail ?? '', { details }), { publicUrl, instance, traceId }) };
  };
  const components = [...byStatus].map(([status, shared]) => [
    nameOf(status),
    {
      description: shared.map((code) => `\`${code}\`: ${problems[code].when}`).join('\n\n'),
      headers: Object.assign({}, commonHeaders, ...shared.map((code) => ownHeaders[code])),
      content: {
        'application/problem+json': {
          schema,
          examples: Object.fromEntries(shared.map((code) => [code, example(code)])),
        },
      },
    },
  ]);
  return {
    /** The responses to refer to, by status. */
    referTo: (some: ProblemCode[]): Record<number, object> =>
      Object.fromEntries(
        some
          .map((code) => problems[code].status)
          .map((status) => [status, { $ref: `#/components/responses/${nameOf(status)}` }]),
      ),
    components: Object.fromEntries(components),
  };
}

function pascalCase(code: string): string {
  return code.replace(/(^|_)(\w)/g, (_, __, letter: string) => letter.toUpperCase());
}

/** As in `detail`, which is plain text. */
function firstSentence(text: string): string {
  return (text.split(/(?<=\.) /)[0] ?? text).replaceAll('`', '');
}
