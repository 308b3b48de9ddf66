import { setSignature } from '../../../domain/conversations/signatures.ts';
import { SignatureRequest } from '../../../schemas/conversations/signatures.ts';
import { endpoint } from '../../door/route.ts';

export const set = endpoint({
  body: SignatureRequest,
  handler: (deps, advisorId, { body }) => setSignature(deps, advisorId, body.text),
});
