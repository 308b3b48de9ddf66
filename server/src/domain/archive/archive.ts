import type { Deps } from '../../deps.ts';
import { insertNumberedEntries, type NewEntry } from '../../store/archive/archive.ts';

export type By = {
  actor: string;
  traceId: string | null;
  /** The actor is whom an operator's command named, and nobody who signed in. */
  via?: 'command';
};

export const byPerson: By = { actor: 'person', traceId: null };
export const byCarrier: By = { actor: 'carrier', traceId: null };
export const byOperator: By = { actor: 'operator', traceId: null };
export const byService: By = { actor: 'service', traceId: null };

/** The advisor id for entries that belong to no advisor: about firms, staff, applications, keys. */
export const deployment = 0;

export function byApplication(applicationId: number, traceId: string): By {
  return { actor: `application:${applicationId}`, traceId };
}

export function byAdvisor(advisorId: number, traceId: string | null): By {
  return { actor: `advisor:${advisorId}`, traceId };
}

export function byStaff(staffId: number, traceId: string | null = null): By {
  return { actor: `staff:${staffId}`, traceId };
}

/** Whoever runs the command says that it is this staff member: nothing proves it, so the entry says how it came. */
export function byCommand(staffId: number): By {
  return { ...byStaff(staffId), via: 'command' };
}

/** Archives an entry with its events, in the transaction that makes it true, and returns its number. */
export async function archive(deps: Deps, by: By, entry: Omit<NewEntry, keyof By>): Promise<number> {
  const [number = -1] = await insertNumberedEntries(deps.db, [{ ...entry, ...by }], deps.clock.now());
  return number;
}

/** What the body of an entry about an account or a setting says. Some are words and not JSON. */
export function detailsIn(body: string | null): Record<string, unknown> {
  if (!body) return {};
  try {
    const parsed: unknown = JSON.parse(body);
    return typeof parsed === 'object' && parsed !== null ? { ...parsed } : { value: parsed };
  } catch {
    return { value: body };
  }
}
