import { setTimeout as pause } from 'node:timers/promises';
import type { Deps } from '../../deps.ts';
import { findBody, findCheckpoint } from '../../store/archive/archive-tree.ts';
import * as store from '../../store/record-keeping/archive-export.ts';
import type { Period } from '../../store/record-keeping/reconciliation.ts';
import { getAdvisor } from '../accounts/advisors.ts';
import { getFirm } from '../accounts/firms.ts';
import { archive, type By, byOperator, deployment } from '../archive/archive.ts';
import { makeProver, type Prover } from '../archive/archive-proofs.ts';
import { ArchiveFault, growTree } from '../archive/archive-tree.ts';
import { type Outcome, outcomeOf } from '../examiner/entries.mjs';
import { readCheckpoint } from '../examiner/notes.mjs';
import { problem } from '../problems.ts';
import { disposalsOf, type ExportedRange, explanationsOf, rulesOf, witnessesOf } from './archive-export-disposals.ts';

export type ExportFormat = 'eml' | 'ndjson';

export type ArchiveExport = Awaited<ReturnType<typeof exportArchive>>;

/** A text comes with the last of its outcomes in the export, if there is one. */
export type ProvenEntry = store.ExportRow & { proof: Buffer[]; outcome: Outcome | null };

const entriesPage = 1_000;
const numbersPage = 100_000;
const earlierMax = 400;
const steppedMax = 500;
const growPauseMs = 100;
/** How long the tree may go without growing. */
const growMs = 30_000;

/** Opens an export. Before any of it leaves, the export is archived, and all entries so far, that one too, are in the tree. */
export async function exportArchive(
  deps: Deps,
  idOrEmail: string,
  { from, to, format }: Period & { format: ExportFormat },
  by: By = byOperator,
) {
  const { signer } = deps;
  if (!signer)
    throw problem(
      'conflict',
      'An export is signed, and there is no key to sign it with: set ARCHIVE_KEY_FILE, or export where it is set.',
    );
  const { advisor, firmId } = await exportedAdvisor(deps, idOrEmail);
  const meta = { what: 'archive', format, from: from.toISOString(), to: to.toISOString() };
  const entry = { advisorId: advisor.id, kind: 'export', memberId: null, meta, body: JSON.stringify(meta) } as const;
  const takenNumber = await growTo(deps, advisor.id, await archive(deps, by, entry));
  const checkpoint = await findCheckpoint(deps.db);
  if (!checkpoint || !readCheckpoint(checkpoint.note, signer.verifier))
    throw problem('conflict', 'The newest checkpoint is not signed with the key in ARCHIVE_KEY_FILE.');
  const { first, last } = await numbersOf(deps, advisor.id, takenNumber, { from, to });
  const { size } = checkpoint;
  const asked = { advisorId: advisor.id, firmId, size, first: first ?? 1, last: last ?? 0 };
  const prover = makeProver(deps, size);
  return {
    advisor,
    from,
    to,
    /** Every number from the first to the last is in it; both are null if the period has no entry. */
    firstNumber: first,
    lastNumber: last,
    size,
    clockMoves: deps.config.environment === 'sandbox',
    /** The newest checkpoint, and earlier ones with which its tree begins. */
    checkpoint,
    earlier: await earlierThan(deps, prover, checkpoint, {
      leaf: await firstLeaf(deps, advisor.id, first),
      witnesses: await witnessesOf(deps, asked),
    }),
    signer,
    disposals: () => eachProven(prover, disposalsOf(deps, asked)),
    rules: () => eachProven(prover, rulesOf(deps, asked)),
    explanations: () => eachProven(prover, explanationsOf(deps, asked)),
    entries: () => withOutcomes(deps, asked, eachProven(prover, entriesOf(deps, asked))),
  };
}

async function exportedAdvisor(deps: Deps, idOrEmail: string) {
  if (idOrEmail === String(deployment))
    return { advisor: { id: deployment, name: 'the deployment', firm: null }, firmId: null };
  const { advisorId, name, firmId } = await getAdvisor(deps, idOrEmail);
  return { advisor: { id: advisorId, name, firm: (await getFirm(deps, firmId)).name }, firmId };
}

/** Grows the tree, as other nodes may do too, until the entry is in it. Returns the number of the last entry that is. */
async function growTo(deps: Deps, advisorId: number, number: number): Promise<number> {
  for (let deadline = Date.now() + growMs; ; ) {
    const takenNumber = await store.findTaken(deps.db, advisorId);
    if (takenNumber >= number) return takenNumber;
    if (Date.now() > deadline)
      throw problem('conflict', 'The archive’s tree doesn’t grow: see `assent archive status`.');
    if (await growTree(deps).catch(faulty)) deadline = Date.now() + growMs;
    else await pause(growPauseMs);
  }
}

function faulty(error: unknown): never {
  if (!(error instanceof ArchiveFault)) throw error;
  throw problem('conflict', `${error.message} Run \`assent archive verify\`.`, { cause: error });
}

/** Times are almost in the order of numbers, but the transaction that began first may have committed last: all are checked. */
async function numbersOf({ db }: Deps, advisorId: number, lastNumber: number, period: Period) {
  let first: number | null = null;
  let last: number | null = null;
  for (let after = 0; after < lastNumber; after += numbersPage) {
    const upTo = Math.min(lastNumber, after + numbersPage);
    const found = await store.findNumbers(db, advisorId, { after, upTo, ...period });
    first ??= found.first;
    last = found.last ?? last;
  }
  return { first, last };
}

async function firstLeaf({ db }: Deps, advisorId: number, first: number | null): Promise<number | null> {
  if (first === null) return null;
  const [entry] = await store.listExport(db, advisorId, { after: first - 1, upTo: first });
  return entry?.leaf ?? null;
}

/**
 * Some of the checkpoints since the first entry, spread evenly: an examiner who has one of them, or a file with all, can tell that
 * this tree continues from it. And all of those that prove disposals.
 */
async function earlierThan(
  { db }: Deps,
  prover: Prover,
  newest: store.SignedCheckpoint,
  { leaf, witnesses }: { leaf: number | null; witnesses: number[] },
): Promise<(store.SignedCheckpoint & { proof: Buffer[] })[]> {
  const oldestId = leaf === null ? null : await store.findCheckpointOver(db, leaf);
  if (oldestId === null) return [];
  const span = newest.checkpointId - oldestId;
  const count = Math.min(span, earlierMax);
  const ids = Array.from({ length: count }, (_, at) => oldestId + Math.floor((at * span) / count));
  const found = await store.listCheckpoints(db, ids);
  // An idle tree is signed again and again: one per size is enough.
  const bySize = new Map(found.map((each) => [each.size, each]));
  const spread = [...bySize.values()].filter(({ size }) => size < newest.size);
  // After a clock was set back, the last one from before says when what it covers was written.
  const stepped = await store.listStepped(db, { from: oldestId, to: newest.checkpointId, limit: steppedMax });
  const proving = (await store.listCheckpoints(db, [...new Set([...witnesses, ...stepped])])).filter(
    ({ checkpointId }) => !spread.some((each) => each.checkpointId === checkpointId),
  );
  const earlier = [...spread, ...proving].sort((a, b) => a.checkpointId - b.checkpointId);
  const proofs = await prover.consistency(earlier.map(({ size }) => size));
  return earlier.map((checkpoint, index) => ({ ...checkpoint, proof: proofs[index] ?? [] }));
}

async function* entriesOf(deps: Deps, { advisorId, first, last }: ExportedRange): AsyncGenerator<store.ExportRow[]> {
  for (let after = first - 1; after < last; after += entriesPage) {
    const upTo = Math.min(last, after + entriesPage);
    yield* withMedia(deps, await store.listExport(deps.db, advisorId, { after, upTo }));
  }
}

/** The same rows with the bodies of media, each of which is a page of its own: they are large. */
async function* withMedia({ db }: Deps, rows: store.ExportRow[]): AsyncGenerator<store.ExportRow[]> {
  let page: store.ExportRow[] = [];
  for (const row of rows) {
    if (!row.salt || row.body) {
      page.push(row);
      continue;
    }
    if (page.length > 0) yield page;
    page = [];
    const body = await findBody(db, row.advisorId, row.number);
    yield [{ ...row, salt: body && row.salt, body }];
  }
  if (page.length > 0) yield page;
}

async function* eachProven(prover: Prover, pages: AsyncGenerator<store.ExportRow[]>): AsyncGenerator<ProvenEntry[]> {
  for await (const rows of pages) {
    const proofs = await prover.inclusion(rows.map(({ leaf }) => leaf));
    yield rows.map((row, index) => ({ ...row, proof: proofs[index] ?? [], outcome: null }));
  }
}

async function* withOutcomes<Row extends store.ExportRow>(
  deps: Pick<Deps, 'db'>,
  range: ExportedRange,
  pages: AsyncGenerator<Row[]>,
): AsyncGenerator<(Row & { outcome: Outcome | null })[]> {
  const numbers = await lastOutcomes(deps, range);
  const numberOf = ({ kind, messageId }: Row) =>
    kind === 'text_out' && messageId ? numbers.get(messageId) : undefined;
  for await (const rows of pages) {
    const wanted = rows.flatMap((row) => numberOf(row) ?? []);
    const found = await store.listOutcomes(deps.db, range.advisorId, wanted);
    const outcomes = new Map(found.map((entry) => [entry.number, outcomeOf(entry)?.outcome ?? null]));
    yield rows.map((row) => ({ ...row, outcome: outcomes.get(numberOf(row) ?? 0) ?? null }));
  }
}

/** The number of the last outcome of each message. An outcome comes after its text, sometimes much later. */
async function lastOutcomes(
  { db }: Pick<Deps, 'db'>,
  { advisorId, first, last }: ExportedRange,
): Promise<Map<number, number>> {
  const numbers = new Map<number, number>();
  for (let after = first - 1; after < last; after += numbersPage) {
    const upTo = Math.min(last, after + numbersPage);
    for (const { messageId, number } of await store.listOutcomeNumbers(db, { advisorId, after, upTo }))
      numbers.set(messageId, number);
  }
  return numbers;
}
