import { signatureLengthMax } from '../../domain/conversations/signatures.ts';
import { Type } from '../shared/type.ts';

/** An empty one is none. */
export const SignatureRequest = Type.Object({
  text: Type.String({ 'x-trim': true, maxLength: signatureLengthMax, pattern: '^[^\\u0000]*$' }),
});
