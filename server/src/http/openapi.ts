import swagger from '@fastify/swagger';
import swaggerUi from '@fastify/swagger-ui';
import type { FastifyInstance } from 'fastify';
import { scopes } from '../domain/access/scopes.ts';
import { type ProblemCode, problems } from '../domain/problems.ts';
import { ProblemBody } from '../schemas/shared/problem.ts';
import { icon } from './browser/public-pages.ts';
import type { Route } from './door/route.ts';

/** Problems that every route can answer. */
const commonProblems: ProblemCode[] = [
  'invalid_request',
  'version_mismatch',
  'unauthorized',
  'forbidden',
  'rate_limited',
  'internal_error',
  'downstream_unavailable',
  'downstream_timeout',
];
const bodyProblems: ProblemCode[] = ['payload_too_large', 'unsupported_media_type'];

const header = (description: string, example: string) => ({ type: 'string', description, examples: [example] });
const answerHeaders = {
  'x-trace-id': header('The trace id of this request.', '4bf92f3577b34da6a3ce929d0e0e4736'),
  RateLimit: header('The usage plan’s remaining allowance.', '"burst";r=99;t=1'),
  'RateLimit-Policy': header('The usage plan’s limits.', '"burst";q=100;w=2'),
};

export async function addOpenapi(app: FastifyInstance, publicUrl: string): Promise<void> {
  await app.register(swagger, {
    openapi: {
      openapi: '3.1.0',
      info: {
        title: 'Assent partner API',
        version: '1.0.0',
        description:
          'Compliance-grade texting and an address book, on behalf of one advisor. Every request needs an access token and an API key. Every error is a Problem, and its `type` links to a page that explains it.',
      },
      servers: [{ url: `${publicUrl}/v1` }],
      components: {
        securitySchemes: {
          accessToken: { type: 'http', scheme: 'bearer', bearerFormat: 'JWT' },
          apiKey: { type: 'apiKey', in: 'header', name: 'x-api-key' },
        },
      },
    },
    transform: ({ schema, url }) => ({ schema, url: url.replace(/^\/v1/, '') }),
    transformObject: (document) =>
      'openapiObject' in document ? withComponents(document.openapiObject) : document.swaggerObject,
  });
  app.get('/openapi.json', { schema: { hide: true } }, async () => app.swagger());
  await app.register(swaggerUi, {
    routePrefix: '/docs',
    // The page styles its own elements. Scripts come from this server alone, and calls go to it alone.
    staticCSP:
      "default-src 'none'; script-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' data:; connect-src 'self'; base-uri 'none'; frame-ancestors 'none'",
    theme: {
      title: 'Assent partner API',
      favicon: [{ filename: 'icon.svg', rel: 'icon', type: 'image/svg+xml', sizes: 'any', content: icon }],
      css: [
        {
          filename: 'assent.css',
          content:
            '.swagger-ui .topbar, .swagger-ui .info .link { display: none } .swagger-ui .info { margin: 24px 0 }',
        },
      ],
    },
    uiConfig: { persistAuthorization: true, tryItOutEnabled: true, displayRequestDuration: true, docExpansion: 'list' },
    // Calls go to the host where the page was opened, localhost or 127.0.0.1.
    transformSpecification: (specification) => ({ ...specification, servers: [{ url: '/v1' }] }),
    transformSpecificationClone: true,
  });
}

/** The row in the form that Fastify and its documentation need. The door validates; the response schemas serialize. */
export function document(row: Route): object {
  const [, area = '', noun = ''] = row.path.split('/');
  return {
    operationId: row.summary
      .replace(/ (\w)/g, (_, letter: string) => letter.toUpperCase())
      .replace(/^./, (letter) => letter.toLowerCase()),
    summary: row.summary,
    description: [row.description, scopeText(row)].filter(Boolean).join('\n\n'),
    tags: [
      area === 'text' ? 'Texting' : noun === 'contact' ? 'Address book' : noun === 'content' ? 'Content' : 'Reference',
    ],
    security: [{ accessToken: [], apiKey: [] }],
    ...(row.params ? { params: row.params } : {}),
    ...(row.query ? { querystring: row.query } : {}),
    ...(row.body ? { body: row.body } : {}),
    ...(row.method === 'POST' ? { headers: idempotencyHeader } : {}),
    response: { ...success(row), ...failures(row) },
  };
}

const idempotencyHeader = {
  type: 'object',
  properties: {
    'Idempotency-Key': {
      type: 'string',
      minLength: 1,
      maxLength: 255,
      description: 'Makes the request safe to retry for 24 hours: a retry gets the first answer.',
    },
  },
};

function scopeText({ scope }: Route): string {
  return scope === 'any' ? 'Any scope.' : `Scope \`${scope}\`: ${scopes[scope].toLowerCase()}.`;
}

function success(row: Route): object {
  if (!row.answer) return { 204: { description: 'Done.', headers: answerHeaders, type: 'null' } };
  const replayed = { 'Idempotent-Replayed': header('`true` if the answer is a replay.', 'true') };
  const headers = { ...answerHeaders, ...(row.method === 'POST' ? replayed : {}) };
  return { 200: { description: 'Done.', headers, content: { 'application/json': { schema: row.answer } } } };
}

/** By status, since two codes may share one. */
function failures(row: Route): object {
  const codes = [...commonProblems, ...(row.body ? bodyProblems : []), ...row.problems];
  const byStatus = Map.groupBy(codes, (code) => problems[code].status);
  return Object.fromEntries(
    [...byStatus].map(([status, shared]) => [
      status,
      {
        description: shared.map((code) => `\`${code}\`: ${problems[code].when}`).join('\n\n'),
        headers: {
          ...answerHeaders,
          ...(status === 429 ? { 'Retry-After': header('Seconds to wait, a whole number.', '1') } : {}),
        },
        content: {
          'application/problem+json': { schema: ProblemBody, example: problemExample(shared[0] as ProblemCode, row) },
        },
      },
    ]),
  );
}

function problemExample(code: ProblemCode, row: Route): object {
  const { status, title, retryable, when } = problems[code];
  return {
    type: `https://api.example.com/problems/${code}`,
    title,
    status,
    detail: when,
    instance: `/v1${row.path.replace(/:\w+/, '1')}`,
    code,
    traceId: '4bf92f3577b34da6a3ce929d0e0e4736',
    retryable,
  };
}

/** Moves every shape with a title to components, so that it appears once and has a name in generated clients. */
function withComponents<Document extends { components?: { schemas?: object } }>(openapi: Document): Document {
  const shapes: Record<string, unknown> = {};
  const moved = move(openapi) as Document;
  return { ...moved, components: { ...moved.components, schemas: shapes } };

  function move(value: unknown): unknown {
    if (Array.isArray(value)) return value.map(move);
    if (typeof value !== 'object' || value === null) return value;
    const copy = Object.fromEntries(Object.entries(value).map(([key, each]) => [key, move(each)]));
    if (copy.type !== 'object' || typeof copy.title !== 'string') return copy;
    const name = copy.title.replace(/(^| )(\w)/g, (_, __, letter: string) => letter.toUpperCase());
    shapes[name] = copy;
    return { $ref: `#/components/schemas/${name}` };
  }
}
