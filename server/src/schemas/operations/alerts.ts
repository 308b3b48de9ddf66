import { Id } from '../shared/strings.ts';
import { Type } from '../shared/type.ts';

export const AlertTargetParams = Type.Object({ targetId: Id() });
export const AlertTargetInput = Type.Object({
  kind: Type.Unsafe<'webhook' | 'mail'>({ enum: ['webhook', 'mail'] }),
  address: Type.String({ minLength: 3, maxLength: 2000 }),
});
