import { Readable } from 'node:stream';
import type { Deps } from '../../deps.ts';
import { type Checkpoint, notesOf } from '../examiner/notes.mjs';
import type { ArchiveMemory, ArchiveMemoryState, CheckpointFolder, FileLengths, LastCopy } from '../ports.ts';
import { ArchiveFault, checkpointIn } from './archive-memory.ts';
import type { KeptCopies } from './archive-verification.ts';
import type { FoundCopies } from './verification/expected-copies.ts';
import type { Fault } from './verification/faults.ts';

/** The copies outside the database are not what this node left there: nothing more is copied until somebody has looked. */
export class CopiesFault extends Error {}

type Outside = Pick<Deps, 'checkpointFolder' | 'archiveMemory'>;
/** Notes that somebody kept elsewhere, and why this node can't know what was signed. */
type KnownNotes = { notes: string | null; forgotten: string | null };
type FileFault = [file: 'checkpoints' | 'leaves', what: string];

/** A server copies each checkpoint at once; one that is older than this should be outside. */
const copiedWithinMs = 60_000;

/** What this node remembers to have copied to this folder; null if the folder is a different one, or new. */
export async function rememberedCopies({ checkpointFolder: folder, archiveMemory }: Outside): Promise<LastCopy | null> {
  const copied = (await archiveMemory?.read())?.copied ?? null;
  return folder && copied?.folder === folder.path ? copied : null;
}

/** What is wrong with the copies at first sight: from their lengths and their ends. Verification reads all of them. */
export async function findCopiesFault(deps: Outside): Promise<string | null> {
  const { checkpointFolder: folder } = deps;
  if (!folder) return null;
  const copied = await rememberedCopies(deps);
  try {
    const faults = await faultsAtEnds(folder, copied);
    if (faults.length === 0) return null;
    const byFile = Map.groupBy(faults, ([file]) => file);
    return `${[...byFile].map(([file, [first]]) => `${folder.path}/${file}: ${first?.[1]}`).join('; ')}.`;
  } catch (error) {
    return `${folder.path} can’t be read: ${(error as NodeJS.ErrnoException).code ?? (error as Error).message}.`;
  }
}

export async function checkCopies(deps: Outside): Promise<void> {
  const fault = await findCopiesFault(deps);
  if (fault) throw new CopiesFault(fault);
}

async function faultsAtEnds(folder: CheckpointFolder, copied: LastCopy | null): Promise<FileFault[]> {
  const faults = copied ? lengthFaults(copied, await folder.lengths()) : [];
  const last = await folder.last();
  const leafCount = await folder.leafCount();
  if (copied && !last) faults.push(['checkpoints', 'it has no checkpoint']);
  // Leaves are on disk before the checkpoint that covers them.
  if (last && leafCount < last.size) faults.push(['leaves', `it has ${leafCount} of ${last.size} leaves`]);
  return faults;
}

function lengthFaults(copied: LastCopy, now: FileLengths): FileFault[] {
  return [
    ...lengthFault('checkpoints', now.checkpoints, copied.checkpointsBytes),
    ...lengthFault('leaves', now.leaves, copied.leavesBytes),
  ];
}

function lengthFault(file: FileFault[0], bytes: number | null, wanted: number): FileFault[] {
  if ((bytes ?? 0) >= wanted) return [];
  if (bytes === null) return [[file, 'it is missing']];
  return [[file, bytes === 0 ? 'it is empty' : `it has ${bytes} bytes, and had ${wanted}`]];
}

/**
 * What is known outside the database: the folder, the node's memory, and the notes given. Its `compare` also finds what
 * should be outside and isn't.
 */
export async function readKept(
  { checkpointFolder: folder, archiveMemory }: Outside,
  given: KnownNotes,
): Promise<KeptCopies | null> {
  const memory = await readMemory(archiveMemory);
  const copies = folder && (await openCopies(folder));
  const notes = sorted(notesOf((given.notes ?? '').split(/\n{2,}/)));
  const remembered = memory?.remembered ? [memory.remembered.note] : [];
  if (notes.length === 0 && !memory && !copies) return null;
  const copied = memory?.remembered?.copied ?? null;
  const own = copied && copied.folder === folder?.path ? copied : null;
  const gaps: Range[] = [];
  return {
    notes: () => [Readable.from(notes), Readable.from(remembered)],
    ...(copies ? { copies: { notes: () => copies.notes(), expects: expectedBy(own) } } : {}),
    async leaves(from, to) {
      const found = (await copies?.leaves(from, to)) ?? [];
      gaps.push(...gapsIn(found, { from, to }));
      return found;
    },
    compare(found) {
      const faults = memory
        ? memoryFaults(memory, archiveMemory?.path ?? '', { ...found, forgotten: given.forgotten })
        : [];
      if (!folder || !copies) return faults;
      return [...faults, ...folderFaults(folder.path, { copies, copied: own, gaps }, found)];
    },
  };
}

function sorted(notes: string[]): string[] {
  const sizes = notes.map((note) => ({ size: Number(note.split('\n', 2)[1]), note }));
  return sizes.sort((a, b) => a.size - b.size).map(({ note }) => note);
}

type Memory = { remembered: ArchiveMemoryState | null; fault: string | null };

/** A memory that isn't readable is a finding too. */
export async function readMemory(memory: ArchiveMemory | null): Promise<Memory | null> {
  if (!memory) return null;
  try {
    return { remembered: await memory.read(), fault: null };
  } catch (error) {
    if (!(error instanceof ArchiveFault)) throw error;
    return { remembered: null, fault: 'it is not as this node wrote it' };
  }
}

function memoryFaults(
  { remembered, fault }: Memory,
  path: string,
  { stored, forgotten }: { stored: number } & Pick<KnownNotes, 'forgotten'>,
): Fault[] {
  if (fault) return [{ verdict: 'altered', entry: path, what: fault }];
  if (forgotten) return [{ verdict: 'unknown', entry: path, what: forgotten }];
  if (remembered || stored === 0) return [];
  const what = 'it is missing; the server takes it from the copies outside';
  return [{ verdict: 'incomplete', entry: path, what }];
}

type Range = { from: number; to: number };
type ReadableCopies = Pick<CheckpointFolder, 'notes' | 'leaves'> & { lengths: FileLengths; fault: string | null };

/** A folder that can't be read is a finding like any other. */
async function openCopies(folder: CheckpointFolder): Promise<ReadableCopies> {
  const copies: ReadableCopies = {
    lengths: { checkpoints: null, leaves: null },
    fault: null,
    async *notes() {
      try {
        if (!copies.fault) yield* folder.notes();
      } catch (error) {
        note(error as NodeJS.ErrnoException);
      }
    },
    leaves: async (from, to) => (copies.fault ? [] : ((await folder.leaves(from, to).catch(note)) ?? [])),
  };

  function note(error: NodeJS.ErrnoException): void {
    if (!error.code) throw error;
    copies.fault = `it can’t be read: ${error.code}`;
  }

  copies.lengths = (await folder.lengths().catch(note)) ?? copies.lengths;
  return copies;
}

function folderFaults(
  path: string,
  { copies, copied, gaps }: { copies: ReadableCopies; copied: LastCopy | null; gaps: Range[] },
  found: FoundCopies,
): Fault[] {
  if (copies.fault) return [{ verdict: 'incomplete', entry: path, what: copies.fault }];
  const faults = [
    ...(copied ? lengthFaults(copied, copies.lengths) : []),
    ...checkpointsFault(copies, found),
    ...leavesFault(copies, gaps, found.expectedSize),
  ];
  const byFile = Map.groupBy(faults, ([file]) => file);
  return [...byFile].map(([file, ofFile]) => ({
    verdict: 'incomplete',
    entry: `${path}/${file}`,
    what: [...new Set(ofFile.map(([, what]) => what))].join('; '),
  }));
}

/** Which of the checkpoints, in the order of sizes: without a memory of this folder, all but the newest. */
function expectedBy(copied: LastCopy | null): (checkpoint: Checkpoint) => boolean {
  if (!copied) return ({ time }) => Date.parse(time) < Date.now() - copiedWithinMs;
  const { size: copiedSize } = checkpointIn(copied.note);
  let isPassed = false;
  return ({ size, note }) => {
    const isExpected = size <= copiedSize && !isPassed;
    if (note === copied.note) isPassed = true;
    return isExpected;
  };
}

function checkpointsFault({ lengths }: ReadableCopies, { expected, missing, missingSize }: FoundCopies): FileFault[] {
  if (missing === 0) return [];
  const which = `it lacks ${missing} of ${expected} checkpoints; the first is of ${missingSize} entries`;
  return [['checkpoints', goneOr(lengths.checkpoints, which)]];
}

function leavesFault({ lengths }: ReadableCopies, gaps: Range[], size: number): FileFault[] {
  const below = gaps.filter(({ from }) => from < size);
  const [first] = below;
  if (!first) return [];
  const count = below.reduce((sum, { from, to }) => sum + Math.min(to, size) - from, 0);
  return [['leaves', goneOr(lengths.leaves, `it lacks ${count} of ${size} leaves; the first is ${first.from}`)]];
}

function goneOr(bytes: number | null, what: string): string {
  if (bytes === null) return 'it is missing';
  return bytes === 0 ? 'it is empty' : what;
}

function gapsIn(found: { leaf: number }[], { from, to }: Range): Range[] {
  const gaps: Range[] = [];
  let next = from;
  for (const { leaf } of found) {
    if (leaf > next) gaps.push({ from: next, to: leaf });
    next = leaf + 1;
  }
  return next < to ? [...gaps, { from: next, to }] : gaps;
}
