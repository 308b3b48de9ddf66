import type { IncomingReply } from '../../../domain/ports.ts';

const keywords = ['stop', 'start', 'help'] as const;

/** The keyword that a carrier took a reply for: both vendors tell, and use the same words. */
export function keywordOf(word: string | null): NonNullable<IncomingReply['keyword']> | null {
  return keywords.find((each) => each === word?.toLowerCase()) ?? null;
}

/** What a carrier's JSON has at a path of names and positions; undefined if there is nothing. */
export function at(value: unknown, ...path: (string | number)[]): unknown {
  let found = value;
  for (const name of path) {
    if (typeof found !== 'object' || found === null || !Object.hasOwn(found, name)) return undefined;
    found = (found as Record<string | number, unknown>)[name];
  }
  return found;
}

/** The text there. Numbers count, since vendors write codes and sizes both ways; an empty text doesn't. */
export function textAt(value: unknown, ...path: (string | number)[]): string | null {
  const found = at(value, ...path);
  if (typeof found === 'number') return String(found);
  return typeof found === 'string' && found !== '' ? found : null;
}

export function listAt(value: unknown, ...path: (string | number)[]): unknown[] {
  const found = at(value, ...path);
  return Array.isArray(found) ? found : [];
}

/** Undefined if it isn't JSON. */
export function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
