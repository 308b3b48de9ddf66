import type { Deps } from '../../deps.ts';
import { type ExportedRow, listExportedContacts } from '../../store/address-book/contact-exports.ts';
import { archive, byOperator } from '../archive/archive.ts';

export type ExportedContact = ExportedRow;
export type ExportedGroup = ExportedRow['groups'][number];

const exportBatch = 1_000;

/** Every contact of the book by id, a batch at a time. The export is archived before the first batch is read. */
export async function* exportContacts(deps: Deps, advisorId: number): AsyncGenerator<ExportedContact[]> {
  const what = { what: 'contacts' };
  const entry = { advisorId, kind: 'export', memberId: null, meta: what, body: JSON.stringify(what) } as const;
  await archive(deps, byOperator, entry);
  for (let after = -1; ; ) {
    const contacts = await listExportedContacts(deps.db, advisorId, after, exportBatch);
    if (contacts.length > 0) yield contacts;
    if (contacts.length < exportBatch) return;
    after = contacts.at(-1)?.contactId ?? after;
  }
}
