import type { Deps } from '../../deps.ts';
import { archive, type By, deployment } from '../archive/archive.ts';

/** Which setting of what, and the values: never a secret. Without an advisor it belongs to the deployment. */
export type Setting = {
  advisorId?: number;
  /** `advisor added` */
  what: string;
  /** Ids to find it by. */
  of: Record<string, number | string>;
  values: object;
};

/** Archives a change of settings, in the transaction that makes it. */
export async function archiveSetting(
  deps: Deps,
  by: By,
  { advisorId = deployment, what, of, values }: Setting,
): Promise<number> {
  const entry = { advisorId, kind: 'setting', memberId: null, meta: { what, ...of } } as const;
  return archive(deps, by, { ...entry, body: JSON.stringify(values) });
}

/** The fields that differ, each as `{from, to}`; null if none does. */
export function changesOf<Row extends object>(before: Row, after: Row): Record<string, unknown> | null {
  const changes = Object.entries(after).flatMap(([name, to]) => {
    const from: unknown = before[name as keyof Row];
    return JSON.stringify(from) === JSON.stringify(to) ? [] : [[name, { from, to }] as const];
  });
  return changes.length > 0 ? Object.fromEntries(changes) : null;
}
