import { problemCodes } from '../../domain/problems.ts';
import { Type } from './type.ts';

const BrokenRule = Type.Object(
  {
    path: Type.String({ description: 'Where, as a JSON pointer: `/phoneNumbers/3`. A parameter is `/` and its name.' }),
    rule: Type.String({ description: 'Which rule, such as `required` or `maxLength`.' }),
    message: Type.String({ description: 'A sentence for people.' }),
  },
  { title: 'Broken rule' },
);

export const ProblemBody = Type.Object(
  {
    type: Type.String({ format: 'uri', description: 'A page that explains the code.' }),
    title: Type.String(),
    status: Type.Integer({ description: 'The HTTP status.' }),
    detail: Type.String({ description: 'What went wrong this time.' }),
    instance: Type.String({ description: 'The path of the request.' }),
    code: Type.Unsafe<string>({ title: 'Problem code', type: 'string', enum: problemCodes }),
    traceId: Type.String({ description: 'Quote it to support. Also in the header `x-trace-id`.' }),
    retryable: Type.Boolean({ description: 'Whether the same request can succeed later.' }),
    details: Type.Optional(
      Type.Union(
        [Type.Array(BrokenRule), Type.Unsafe<Record<string, unknown>>({ type: 'object', additionalProperties: true })],
        { description: 'For bad input, the rules that it breaks; otherwise an object of facts.' },
      ),
    ),
  },
  { title: 'Problem' },
);
