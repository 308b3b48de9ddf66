import { listRenderedWordings } from '../../../domain/texting/wordings.ts';
import { endpoint } from '../../door/route.ts';
import { jsonResponse } from './json-response.ts';

export const list = endpoint({
  ...jsonResponse,
  handler: async (deps, advisorId) => ({
    data: (await listRenderedWordings(deps, advisorId)).map(({ kind, version, text }) => ({ kind, version, text })),
  }),
});
