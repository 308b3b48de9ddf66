import { listWordingHistories, setWording } from '../../domain/texting/wordings.ts';
import { WordingChange } from '../../schemas/texting/wordings.ts';
import { firmEndpoint } from './endpoint.ts';

export const list = firmEndpoint({
  handler: async (deps, { firmId }) => ({ data: await listWordingHistories(deps, firmId) }),
});

export const set = firmEndpoint({
  body: WordingChange,
  handler: (deps, { firmId }, { body }, by) => setWording(deps, firmId, body, by),
});
