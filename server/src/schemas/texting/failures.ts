import { refusalCodes } from '../../domain/texting/failures.ts';
import { Id } from '../shared/strings.ts';
import { Type } from '../shared/type.ts';

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
