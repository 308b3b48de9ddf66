import { listRenderedWordings } from '../../../domain/texting/wordings.ts';
import { endpoint } from '../../door/route.ts';

export const list = endpoint({
  handler: async (deps, advisorId) => ({
    data: (await listRenderedWordings(deps, advisorId)).map(({ kind, version, text }) => ({ kind, version, text })),
  }),
});
