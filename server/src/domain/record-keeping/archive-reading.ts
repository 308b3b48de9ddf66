import { type Deps, inTransaction } from '../../deps.ts';
import { archive, type By } from '../archive/archive.ts';
import { proveEntry } from '../archive/archive-proofs.ts';
import { getEntry } from './archive-search.ts';

/** The text of a firm's entry with every number in it. That somebody wanted to see it is an entry, too. */
export async function readEntryText(deps: Deps, firmId: number, place: { advisorId: number; number: number }, by: By) {
  return inTransaction(deps, async (deps) => {
    const { advisorId, number } = place;
    const { entries } = await getEntry(deps, firmId, place);
    const { text = null, memberId = null } = entries.find((each) => each.number === number) ?? {};
    const meta = { what: 'number shown', archiveNumber: number };
    await archive(deps, by, { advisorId, kind: 'text_read', memberId, meta, body: '{}' });
    return { text };
  });
}

/** What proves a firm's entry. */
export async function getEntryProof(deps: Deps, firmId: number, place: { advisorId: number; number: number }) {
  await getEntry(deps, firmId, place);
  return { proof: await proveEntry(deps, place) };
}
