import type { FastifyInstance } from 'fastify';
import { allScopes, type Scope, scopes, textScopes } from '../../domain/access/scopes.ts';
import type { ProblemCode } from '../../domain/problems.ts';
import { authorizePath, tokenPath } from '../../oauth/routes.ts';
import type { PartnerRoute } from '../door/route.ts';
import { type DocumentParts, headerParameters, operationOf, templateOf } from './operations.ts';
import { commonHeaders, headerComponents, problemResponses, replayHeader } from './responses.ts';
import { collectShapes } from './shapes.ts';
import { webhookHeaders, webhooksOf } from './webhooks.ts';

export type Document = {
  openapi: string;
  info: object;
  servers: { url: string }[];
  tags: { name: string; description: string }[];
  paths: Record<string, Record<string, object>>;
  webhooks: Record<string, Record<string, object>>;
  components: Record<string, Record<string, object>>;
};

type Deployment = { publicUrl: string; environment: 'sandbox' | 'production' };

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
const ownProblems: ProblemCode[] = ['not_found', 'conflict'];

const webhookTag = 'Webhooks';
const tags = [
  { name: 'Texting', description: 'Send and schedule texts, ask for consent, and see what became of them.' },
  { name: 'Address book', description: 'The advisor’s contacts and contact groups.' },
  { name: 'Content', description: 'The content library.' },
  { name: 'Account', description: 'The advisor that the access token acts for.' },
  { name: 'Reference', description: 'The words for numbered values.' },
  { name: webhookTag, description: 'What is pushed to your endpoint, signed as Standard Webhooks says.' },
];

const { SandboxFault: _, ...forProduction } = headerParameters;

/** `openapi.json`: the contract, from its table. */
export function partnerDocument(deployment: Deployment, routes: PartnerRoute[]): Document {
  const { publicUrl, environment } = deployment;
  const shapes = collectShapes();
  const problems = problemResponses([...commonProblems, ...bodyProblems, ...ownProblems], shapes, publicUrl);

  const partsOf = (row: PartnerRoute): DocumentParts => ({
    tag: tagOf(row),
    security: [{ oauth2: row.scope === 'any' ? [] : [row.scope], apiKey: [] }],
    headers: [
      ...(row.method === 'POST' ? ['IdempotencyKey'] : []),
      ...['ApiVersion', 'Traceparent'],
      ...(environment === 'sandbox' ? ['SandboxFault'] : []),
    ],
    responseHeaders: { ...commonHeaders, ...(row.method === 'POST' ? replayHeader : {}) },
    problems: problems.referTo([...commonProblems, ...(row.body ? bodyProblems : []), ...row.problems]),
  });

  const webhooks = webhooksOf(webhookTag, shapes);
  const byPath = Map.groupBy(routes, templateOf);
  const operation = (row: PartnerRoute) => operationOf({ ...row, description: describe(row) }, partsOf(row), shapes);
  const paths = Object.fromEntries(
    [...byPath].map(([path, rows]) => [
      path,
      Object.fromEntries(rows.map((row) => [row.method.toLowerCase(), operation(row)])),
    ]),
  );
  return {
    openapi: '3.1.0',
    info: {
      title: 'Assent partner API',
      version: '1.0.0',
      description:
        'Compliance-grade texting and an address book, on behalf of one advisor. Every request needs an access token and an API key. Every error is a Problem, and its `type` links to a page that explains it.',
      contact: { name: 'Assent', url: publicUrl },
      license: { name: 'Proprietary', identifier: 'LicenseRef-Proprietary' },
    },
    servers: [{ url: `${publicUrl}/v1` }],
    tags,
    paths,
    webhooks,
    components: {
      securitySchemes: { oauth2: oauth2(publicUrl), apiKey },
      parameters: { ...(environment === 'sandbox' ? headerParameters : forProduction), ...webhookHeaders },
      headers: headerComponents,
      responses: problems.components,
      schemas: shapes.named(),
    },
  };
}

/** Anyone may read it. It is built for its first reader, so that a start doesn't wait for it. */
export function serveDocument(app: FastifyInstance, deployment: Deployment, routes: PartnerRoute[]): void {
  let text: string | undefined;
  app.get('/openapi.json', (_request, reply) => {
    text ??= JSON.stringify(partnerDocument(deployment, routes));
    return reply.type('application/json; charset=utf-8').send(text);
  });
}

function tagOf({ path }: PartnerRoute): string {
  if (path.startsWith('/text/')) return 'Texting';
  if (path.startsWith('/core/contact/')) return 'Address book';
  if (path.startsWith('/core/content/')) return 'Content';
  return path === '/core/account' ? 'Account' : 'Reference';
}

function describe({ description, scope }: PartnerRoute): string {
  const needs = scope === 'any' ? 'Any scope.' : `Scope \`${scope}\`: ${scopes[scope].toLowerCase()}.`;
  return [description, needs].filter(Boolean).join('\n\n');
}

const apiKey = {
  type: 'apiKey',
  in: 'header',
  name: 'x-api-key',
  description: 'The key of your application’s usage plan.',
};

/** Where access tokens come from. */
function oauth2(publicUrl: string): object {
  const tokenUrl = `${publicUrl}${tokenPath}`;
  return {
    type: 'oauth2',
    description: 'The access token of an advisor who has allowed your application.',
    flows: {
      authorizationCode: {
        authorizationUrl: `${publicUrl}${authorizePath}`,
        tokenUrl,
        refreshUrl: tokenUrl,
        scopes: described(allScopes),
      },
      clientCredentials: { tokenUrl, scopes: described(textScopes) },
    },
  };
}

function described(names: Scope[]): Record<string, string> {
  return Object.fromEntries(names.map((name) => [name, scopes[name]]));
}
