import { enumerations } from '../../domain/shared/enumerations.ts';

export async function list() {
  return Object.fromEntries(
    Object.entries(enumerations).map(([name, words]) => [
      name,
      Object.entries(words).map(([value, text]) => ({ value: Number(value), text })),
    ]),
  );
}
