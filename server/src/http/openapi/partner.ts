import { scopes } from '../../domain/access/scopes.ts';
import type { ProblemCode } from '../../domain/problems.ts';
import type { PartnerRoute } from '../door/route.ts';
import { type Document, makeDocument } from './document.ts';
import type { DocumentParts } from './operations.ts';
import { headerParameters } from './parameters.ts';
import { headerComponents, planHeaders, problemResponses, replayHeader, traceHeader } from './responses.ts';
import { apiKey, oauth2 } from './security.ts';
import { collectShapes } from './shapes.ts';
import { webhookHeaders, webhooksOf } from './webhooks.ts';

export type Deployment = { publicUrl: string; environment: 'sandbox' | 'production' };

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

/** `openapi.json`: the contract, from its table. */
export function partnerDocument(deployment: Deployment, routes: PartnerRoute[]): Document {
  const { publicUrl, environment } = deployment;
  const shapes = collectShapes();
  const headers = { ...traceHeader, ...planHeaders };
  const problems = problemResponses([...commonProblems, ...bodyProblems, ...ownProblems], shapes, {
    publicUrl,
    instance: '/v1/text/messaging/messages',
    headers,
  });

  const partsOf = (row: PartnerRoute): DocumentParts => ({
    tag: tagOf(row),
    security: [{ oauth2: row.scope === 'any' ? [] : [row.scope], apiKey: [] }],
    headers: [
      ...(row.method === 'POST' ? ['IdempotencyKey'] : []),
      ...['ApiVersion', 'Traceparent'],
      ...(environment === 'sandbox' ? ['SandboxFault'] : []),
    ],
    responseHeaders: { ...headers, ...(row.method === 'POST' ? replayHeader : {}) },
    problems: problems.referTo([...commonProblems, ...(row.body ? bodyProblems : []), ...row.problems]),
  });

  return makeDocument({
    title: 'Assent partner API',
    description:
      'Compliance-grade texting and an address book, on behalf of one advisor. Every request needs an access token and an API key. Every error is a Problem, and its `type` links to a page that explains it.',
    publicUrl,
    basePath: '/v1',
    tags,
    rows: routes.map((row) => ({ ...row, description: describe(row) })),
    partsOf,
    components: {
      securitySchemes: { oauth2: oauth2(publicUrl), apiKey },
      parameters: { ...headerParameters, ...webhookHeaders },
      headers: headerComponents,
      responses: problems.components,
    },
    shapes,
    webhooks: webhooksOf(webhookTag, shapes),
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
