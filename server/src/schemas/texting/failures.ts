import { type FailureCode as Code, failureCodeNames, failureCodes } from '../../domain/shared/failure-codes.ts';
import { refusalCodes } from '../../domain/texting/failures.ts';
import { Id } from '../shared/strings.ts';
import { Type } from '../shared/type.ts';

const meanings = failureCodeNames.map(
  (code) => `- \`${code}\`: ${failureCodes[code].cause} ${failureCodes[code].next}`,
);

/** The one list of why a text didn't arrive. */
export const FailureCode = Type.Unsafe<Code>({
  title: 'Failure reason',
  type: 'string',
  enum: failureCodeNames,
  description: [
    'Why a text failed, was not delivered or was skipped, and what to do. No other code occurs.',
    '',
    ...meanings,
  ].join('\n'),
});

export const FailureDetail = Type.Object(
  {
    phone: Type.String({ description: 'In E.164.' }),
    memberId: Id(),
    code: Type.Unsafe<(typeof refusalCodes)[number]>({ title: 'Failure code', type: 'string', enum: refusalCodes }),
    message: Type.String({ description: 'The same sentence as in `failures`.' }),
    retryable: Type.Boolean({ description: 'Whether the same request can succeed later.' }),
  },
  { title: 'Failure detail' },
);
