import { Type } from '../shared/type.ts';

/** What the console sends. It is no contract: the console and the server change together. */
export const WordingChange = Type.Object({
  kind: Type.String({ maxLength: 40 }),
  text: Type.String({ maxLength: 5_000 }),
});
