import { listEnumerations } from '../../domain/shared/enumerations.ts';
import { EnumerationsResult } from '../../schemas/shared/enumerations.ts';
import { endpoint } from '../door/route.ts';

export const list = endpoint({
  summary: 'List enumerations',
  description: 'Every numbered value with its word.',
  response: EnumerationsResult,
  problems: [],
  handler: async () => listEnumerations(),
});
