import type { Deps } from '../../deps.ts';
import { type ExportedRow, listExportedContacts } from '../../store/address-book/contact-exports.ts';
import { archive, type By, byOperator } from '../archive/archive.ts';
import { filterOf, type ListFilter } from './listed-contacts.ts';

export type ExportedContact = ExportedRow;

const exportBatch = 100;

/**
 * Every contact of the book by id, or those that the app lists with a filter, a batch at a time. The export is archived before the first
 * batch is read.
 */
export async function* exportContacts(
  deps: Deps,
  advisorId: number,
  { by = byOperator, filter }: { by?: By; filter?: ListFilter } = {},
): AsyncGenerator<ExportedContact[]> {
  const what = { what: 'contacts', ...(filter && Object.keys(filter).length > 0 ? { filter } : {}) };
  const entry = { advisorId, kind: 'export', memberId: null, meta: what, body: JSON.stringify(what) } as const;
  await archive(deps, by, entry);
  const asked = filter ? await filterOf(deps, advisorId, filter) : {};
  for (let after = -1; ; ) {
    await deps.turn();
    const contacts = await listExportedContacts(deps.db, advisorId, asked, { after, limit: exportBatch });
    if (contacts.length > 0) yield contacts;
    if (contacts.length < exportBatch) return;
    after = contacts.at(-1)?.contactId ?? after;
  }
}
