import { listEnumerations } from '../../domain/shared/enumerations.ts';

export async function list() {
  return listEnumerations();
}
