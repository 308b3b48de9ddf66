import { listWordingHistories, setWording } from '../../domain/texting/wordings.ts';
import { Type } from '../../schemas/shared/type.ts';
import { firmEndpoint } from './endpoint.ts';

const WordingChange = Type.Object({
  kind: Type.String({ maxLength: 40 }),
  text: Type.String({ maxLength: 5_000 }),
});

export const list = firmEndpoint({
  handler: async (deps, { firmId }) => ({ data: await listWordingHistories(deps, firmId) }),
});

export const set = firmEndpoint({
  body: WordingChange,
  handler: (deps, { firmId }, { body }, by) => setWording(deps, firmId, body, by),
});
