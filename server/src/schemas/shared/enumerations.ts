import { type EnumerationName, enumerations, listEnumerations } from '../../domain/shared/enumerations.ts';
import { Type } from './type.ts';

const Values = Type.Array(Type.Object({ value: Type.Integer(), text: Type.String() }, { title: 'Enumeration value' }));

export const EnumerationsResult = Type.Object(
  Object.fromEntries(Object.keys(enumerations).map((name) => [name, Values])) as Record<EnumerationName, typeof Values>,
  { title: 'Enumerations', examples: [listEnumerations()] },
);
