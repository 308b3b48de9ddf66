import { optOutScopes } from '../../domain/accounts/firms.ts';
import { Id, nameLengthMax } from '../shared/strings.ts';
import { Type } from '../shared/type.ts';

export const FirmParams = Type.Object({ firmId: Id() });
export const FirmInput = Type.Object({ name: Type.String({ minLength: 1, maxLength: nameLengthMax }) });
export const FirmChange = Type.Object({
  firstTextLine: Type.Optional(Type.Boolean()),
  optOutScope: Type.Optional(Type.Unsafe<(typeof optOutScopes)[number]>({ enum: optOutScopes })),
});
