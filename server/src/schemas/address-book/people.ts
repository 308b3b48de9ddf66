import { Id } from '../shared/strings.ts';
import { Type } from '../shared/type.ts';

/** What the console sends. It is no contract: the console and the server change together. */

export const PeopleSearch = Type.Object({ text: Type.String({ maxLength: 200 }) });
export const PersonParams = Type.Object({ advisorId: Id(), memberId: Id() });
