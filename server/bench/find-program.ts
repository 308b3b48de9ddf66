import { existsSync, globSync } from 'node:fs';
import { delimiter, join } from 'node:path';

/** The path of a program that may be installed, or null. `folders` are searched after the PATH. */
export function findProgram(name: string, ...folders: string[]): string | null {
  const searched = [
    ...(process.env.PATH ?? '').split(delimiter),
    ...folders.flatMap((each) => globSync(each).sort().reverse()),
  ];
  return searched.map((folder) => join(folder, name)).find((file) => existsSync(file)) ?? null;
}
