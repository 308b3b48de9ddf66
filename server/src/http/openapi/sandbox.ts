import type { ProblemCode } from '../../domain/problems.ts';
import { type Document, makeDocument } from './document.ts';
import type { DocumentedRoute } from './operations.ts';
import { headerParameters } from './parameters.ts';
import { headerComponents, problemResponses, traceHeader } from './responses.ts';
import { apiKey } from './security.ts';
import { collectShapes } from './shapes.ts';

const commonProblems: ProblemCode[] = [
  'invalid_request',
  'unauthorized',
  'rate_limited',
  'internal_error',
  'downstream_unavailable',
  'downstream_timeout',
];
const bodyProblems: ProblemCode[] = ['payload_too_large', 'unsupported_media_type'];

const tags = [
  { name: 'Handset', description: 'The sandbox’s phones. Texts arrive on them, and you reply for their owners.' },
  { name: 'Clock', description: 'The sandbox’s time, which you can move forward.' },
  { name: 'Reset', description: 'Back to the first start.' },
];

/** `sandbox/openapi.json`: what only the sandbox has, from its table. */
export function sandboxDocument(publicUrl: string, routes: DocumentedRoute[]): Document {
  const shapes = collectShapes();
  const problems = problemResponses([...commonProblems, ...bodyProblems], shapes, {
    publicUrl,
    instance: '/sandbox/handset/+15005550006/replies',
    headers: traceHeader,
  });
  return makeDocument({
    title: 'Assent sandbox',
    description:
      'The phones and the clock of the sandbox, and its reset, for you and your tests. Production has none of this. Requests need the API key alone.',
    publicUrl,
    basePath: '',
    tags,
    rows: routes,
    partsOf: ({ path, body }) => ({
      tag: tagOf(path),
      security: [{ apiKey: [] }],
      headers: ['Traceparent'],
      responseHeaders: traceHeader,
      problems: problems.referTo([...commonProblems, ...(body ? bodyProblems : [])]),
    }),
    components: {
      securitySchemes: { apiKey },
      parameters: headerParameters,
      headers: headerComponents,
      responses: problems.components,
    },
    shapes,
  });
}

/** `/sandbox/clock` is about the clock. */
function tagOf(path: string): string {
  return tags.find(({ name }) => path.startsWith(`/sandbox/${name.toLowerCase()}`))?.name ?? '';
}
