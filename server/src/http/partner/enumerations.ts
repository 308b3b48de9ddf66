import { type EnumerationName, enumerations, listEnumerations } from '../../domain/shared/enumerations.ts';
import { Type } from '../../schemas/shared/type.ts';
import { endpoint } from '../door/route.ts';

const Values = Type.Array(Type.Object({ value: Type.Integer(), text: Type.String() }, { title: 'Enumeration value' }));

const EnumerationsResult = Type.Object(
  Object.fromEntries(Object.keys(enumerations).map((name) => [name, Values])) as Record<EnumerationName, typeof Values>,
  { title: 'Enumerations', examples: [listEnumerations()] },
);

export const list = endpoint({
  summary: 'List enumerations',
  description: 'Every numbered value with its word.',
  response: EnumerationsResult,
  problems: [],
  handler: async () => listEnumerations(),
});
