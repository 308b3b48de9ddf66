import { Type } from 'typebox';
import { type EnumerationName, enumerations } from '../../domain/shared/enumerations.ts';

const Values = Type.Array(Type.Object({ value: Type.Integer(), text: Type.String() }));

/** Every numbered value with its word, by field name. */
export const EnumerationsResult = Type.Object(
  Object.fromEntries(Object.keys(enumerations).map((name) => [name, Values])) as Record<EnumerationName, typeof Values>,
  { title: 'Enumerations' },
);
