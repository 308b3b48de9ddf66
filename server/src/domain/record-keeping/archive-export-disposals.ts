import type { Deps } from '../../deps.ts';
import { listTimeRules } from '../../store/archive/explanations.ts';
import * as store from '../../store/record-keeping/archive-export.ts';
import { deployment } from '../archive/archive.ts';
import { disposedBy } from '../examiner/disposals.mjs';
import { explanationIn } from '../examiner/times.mjs';

/** An advisor's entries in the tree of a size, by number, including both ends. */
export type ExportedRange = { advisorId: number; firmId: number | null; size: number; first: number; last: number };

const entriesPage = 1_000;
/** Two checkpoints each, with a proof: more than a package can hold would be left unproven. */
const witnessedMax = 2_000;

export async function* disposalsOf(
  { db }: Deps,
  { advisorId, size, first, last }: ExportedRange,
): AsyncGenerator<store.ExportRow[]> {
  for (let after = 0; ; ) {
    const rows = await store.listDisposalExport(db, advisorId, { after, limit: entriesPage });
    const ours = rows.filter(
      // Newer ones have no proof in a tree of this size.
      (row) => row.leaf < size && disposedBy(row, row.body).some(({ from, to }) => from <= last && to >= first),
    );
    if (ours.length > 0) yield ours;
    after = rows.at(-1)?.number ?? after;
    if (rows.length < entriesPage) return;
  }
}

/**
 * What those disposals are judged by: the firm's and the advisor's retentions and holds, and the entry that says which
 * firm is the advisor's. Nothing if there was no disposal. Their bodies, which have the reasons, are not needed.
 */
export async function* rulesOf(deps: Deps, exported: ExportedRange): AsyncGenerator<store.ExportRow[]> {
  const { advisorId, firmId, size } = exported;
  if (firmId === null || (await disposalsOf(deps, exported).next()).done) return;
  const [added] = await store.listExport(deps.db, advisorId, { after: 0, upTo: 1 });
  if (added?.kind === 'setting') yield [{ ...added, salt: null, body: null }];
  for (const book of [deployment, advisorId])
    for (let after = 0; ; ) {
      const rows = await store.listRuleExport(deps.db, book, { firmId, after, limit: entriesPage });
      const signed = rows.filter(({ leaf }) => leaf < size);
      if (signed.length > 0) yield signed;
      after = rows.at(-1)?.number ?? after;
      if (rows.length < entriesPage) break;
    }
}

/** Why times of theirs are wrong, and where the database's clock was set back: the reasons themselves are in the deployment's book. */
export async function* explanationsOf(
  { db }: Deps,
  { advisorId, size, first, last }: ExportedRange,
): AsyncGenerator<store.ExportRow[]> {
  const rows = (await listTimeRules(db)).filter((row) => {
    const { advisorId: book = deployment, from = 0, to = last } = explanationIn(row)?.of ?? {};
    const isAbout = book === deployment || (book === advisorId && from <= last && to >= first);
    return isAbout && row.leaf < size;
  });
  yield rows.map((row) => ({ ...row, phone: null }));
}

export async function witnessesOf(deps: Deps, exported: ExportedRange): Promise<number[]> {
  const disposals: { leaf: number; years: number }[] = [];
  for await (const rows of disposalsOf(deps, exported))
    for (const { leaf, meta } of rows) disposals.push({ leaf, years: Number(JSON.parse(meta).retentionYears) || 0 });
  return store.listWitnesses(deps.db, disposals.slice(-witnessedMax));
}
