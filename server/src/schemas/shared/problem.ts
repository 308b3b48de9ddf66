import { Type } from 'typebox';
import { problemCodes } from '../../domain/problems.ts';

export const ProblemBody = Type.Object(
  {
    type: Type.String({ format: 'uri', description: 'A page that explains the code.' }),
    title: Type.String(),
    status: Type.Integer(),
    detail: Type.String(),
    instance: Type.String(),
    code: Type.Unsafe<string>({ type: 'string', enum: problemCodes }),
    traceId: Type.String({ description: 'Quote it to support. Also in the header `x-trace-id`.' }),
    retryable: Type.Boolean(),
    details: Type.Optional(
      Type.Unknown({
        description: 'For bad input, an array of `{path, rule, message}`; otherwise an object of facts.',
      }),
    ),
  },
  { title: 'Problem' },
);
