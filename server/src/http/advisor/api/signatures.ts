import { setSignature } from '../../../domain/conversations/signatures.ts';
import { SignatureRequest } from '../../../schemas/conversations/signatures.ts';
import { endpoint } from '../../door/route.ts';

export const set = endpoint({
  summary: 'Set the signature',
  body: SignatureRequest,
  problems: [],
  handler: (deps, advisorId, { body }) => setSignature(deps, advisorId, body.text),
});
