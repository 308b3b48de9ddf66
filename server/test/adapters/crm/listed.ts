import type { Crm, CrmBatch } from '../../../src/domain/ports.ts';

/** A whole listing as one batch. */
export async function listed(
  crm: Crm,
  known: ReadonlyMap<string, string> = new Map(),
  until = AbortSignal.timeout(60_000),
): Promise<CrmBatch> {
  const all: CrmBatch = { contacts: [], unchanged: [], refused: [], total: null };
  for await (const batch of crm.list(known, until)) {
    all.contacts.push(...batch.contacts);
    all.unchanged.push(...batch.unchanged);
    all.refused.push(...batch.refused);
    all.total = batch.total;
  }
  return all;
}

/** The known versions to pass to the next listing, by locator. */
export function versions({ contacts }: CrmBatch): Map<string, string> {
  return new Map(contacts.map(({ locator, version }) => [locator, version ?? '']));
}

/** An hour, for tests that aren't about timeouts. */
export const ample = () => AbortSignal.timeout(3_600_000);
