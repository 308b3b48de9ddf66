import { appendFileSync, mkdtempSync, readFileSync, rmSync, statSync, truncateSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openCheckpointFolder } from '../../src/adapters/checkpoints/folder.ts';
import { openArchiveMemory } from '../../src/adapters/files/keys/archive-memory.ts';
import type { Deps } from '../../src/deps.ts';
import { verifyAgainstCopies } from '../../src/domain/archive/archive-status.ts';
import { memoryOf } from '../../src/domain/archive/continuity.ts';
import { signArchive } from '../../src/domain/archive/signing.ts';
import { makeSignals } from '../../src/domain/shared/signals.ts';
import { findTree } from '../../src/store/archive/archive-tree.ts';
import type { TestDatabase } from '../support/database.ts';
import { archiveDepsOn, type SmallArchive, signer } from './small-archive.ts';
import type { TamperingOutcome } from './try-tampering.ts';

/** The files of a node outside the database: the two copies, and its memory beside the key. */
type Files = { checkpoints: string; leaves: string; memory: string };

/** Tampering with what is outside the database, and what the node's next round of signing and verification must name. */
type OutsideTampering = {
  name: string;
  /** The whole archive, or the older backup that it was put back to. */
  database: 'copy' | 'backup';
  /** Whether the node goes on running, or starts again and knows only its files. */
  node: 'running' | 'restarted';
  tamper(files: Files): void;
  /** The beginning of the name of what verification must find. */
  names(files: Files): string;
  /** What the running node must say: nothing more is signed, or nothing more is copied, or neither. */
  says: 'signing' | 'copies' | null;
};

function removed(...names: (keyof Files)[]): Pick<OutsideTampering, 'tamper'> {
  return {
    tamper(files) {
      for (const name of names) rmSync(files[name]);
    },
  };
}

function damages(file: 'checkpoints' | 'leaves'): OutsideTampering[] {
  const each = { database: 'copy', names: (files: Files) => files[file], says: 'copies' } as const;
  const half = (path: string) => Math.floor(statSync(path).size / 2);
  const ways: [string, (path: string) => void][] = [
    ['removed', (path) => rmSync(path)],
    ['emptied', (path) => truncateSync(path)],
    ['cut to its first half', (path) => truncateSync(path, half(path))],
    ['cut to its second half', (path) => writeFileSync(path, readFileSync(path).subarray(half(path)))],
  ];
  return ways.map(([how, damage]) => ({
    ...each,
    name: `the file of ${file} outside ${how}`,
    node: 'restarted',
    tamper: (files) => damage(files[file]),
  }));
}

export const outsideTamperings: OutsideTampering[] = [
  ...damages('checkpoints'),
  ...damages('leaves'),
  {
    name: 'one byte of a checkpoint outside',
    database: 'copy',
    node: 'running',
    tamper: ({ checkpoints }) => flip(checkpoints, 40),
    names: ({ checkpoints }) => checkpoints,
    says: null,
  },
  {
    name: 'the hash of a leaf outside',
    database: 'copy',
    node: 'running',
    tamper: ({ leaves }) =>
      writeFileSync(
        leaves,
        readFileSync(leaves, 'utf8').replace(/(?<= )[\w+/](?=[\w+/]{42}=)/, (letter) => (letter === 'A' ? 'B' : 'A')),
      ),
    names: () => 'entry 1 of advisor',
    says: null,
  },
  {
    name: 'the tree cut to an earlier checkpoint',
    database: 'backup',
    node: 'running',
    tamper: () => {},
    names: () => 'entry 16',
    says: 'signing',
  },
  ...(['running', 'restarted'] as const).map(
    (node): OutsideTampering => ({
      name: `the tree cut to an earlier checkpoint, the copies outside deleted, the server ${node}`,
      database: 'backup',
      node,
      ...removed('checkpoints', 'leaves'),
      names: () => 'leaf 30',
      says: 'signing',
    }),
  ),
  {
    name: 'the same, with the node’s memory deleted while it runs',
    database: 'backup',
    node: 'running',
    ...removed('checkpoints', 'leaves', 'memory'),
    names: ({ memory }) => memory,
    says: 'signing',
  },
  {
    name: 'the same, and the server restarted',
    database: 'backup',
    node: 'restarted',
    ...removed('checkpoints', 'leaves', 'memory'),
    names: ({ memory }) => memory,
    says: 'signing',
  },
  {
    name: 'the tree cut to an earlier checkpoint, that one appended to the copies, the node’s memory deleted',
    database: 'backup',
    node: 'restarted',
    tamper({ checkpoints, memory }) {
      rmSync(memory);
      appendFileSync(checkpoints, noteOf(readFileSync(checkpoints, 'utf8'), 30));
    },
    names: () => 'entry 16',
    says: 'signing',
  },
  {
    name: 'the node’s memory and the copies outside deleted',
    database: 'copy',
    node: 'restarted',
    ...removed('checkpoints', 'leaves', 'memory'),
    names: ({ memory }) => memory,
    says: 'signing',
  },
  {
    name: 'the node’s memory deleted',
    database: 'copy',
    node: 'restarted',
    ...removed('memory'),
    names: ({ memory }) => memory,
    says: null,
  },
  {
    name: 'the node’s memory overwritten',
    database: 'copy',
    node: 'restarted',
    tamper: ({ memory }) => writeFileSync(memory, '{}'),
    names: ({ memory }) => memory,
    says: 'signing',
  },
];

/** The checkpoint of this size. */
function noteOf(notes: string, size: number): string {
  const note = notes.split(/(?<==\n)\n/).find((each) => each.split('\n')[1] === String(size));
  return `${note}\n`;
}

function flip(path: string, at: number): void {
  const bytes = readFileSync(path);
  bytes[at] = (bytes[at] ?? 0) ^ 1;
  writeFileSync(path, bytes);
}

/** Tries each on a node that has signed and copied the whole archive. */
export async function tryOutside(archive: SmallArchive): Promise<TamperingOutcome[]> {
  const [whole, older] = [await archive.copy(), await archive.backup()];
  const outcomes: TamperingOutcome[] = [];
  for (const tampering of outsideTamperings) outcomes.push(await tryOne({ copy: whole, backup: older }, tampering));
  await Promise.all([whole.drop(), older.drop()]);
  return outcomes;
}

async function tryOne(
  databases: Record<OutsideTampering['database'], TestDatabase>,
  { name, database, node, tamper, names, says }: OutsideTampering,
): Promise<TamperingOutcome> {
  const path = mkdtempSync(join(tmpdir(), 'assent-outside-'));
  const files = {
    checkpoints: join(path, 'checkpoints'),
    leaves: join(path, 'leaves'),
    memory: join(path, 'k.signed'),
  };
  const before = nodeOn(databases.copy, path);
  // It has been there from the start.
  await before.archiveMemory?.write(memoryOf(signer, await findTree(databases.copy.pool)));
  await signArchive(before);
  tamper(files);
  const { pool } = databases[database];
  // What a running node knows is in its process, and `before` has it.
  const after = { ...(node === 'running' ? before : nodeOn(databases.copy, path)), db: pool, signals: makeSignals() };
  const found = await verifyAgainstCopies(nodeOn(databases[database], path), {
    verifiers: [signer.verifier],
    notes: null,
    progress: () => {},
  });
  const { size } = await findTree(pool);
  await signArchive(after);
  const { signing, copies } = after.signals.archive;
  const isSaid = says === null || Boolean({ signing, copies }[says]);
  const isSigned = says === 'signing' && (await findTree(pool)).size !== size;
  rmSync(path, { recursive: true });
  const first = found.faults.find(({ entry }) => entry.startsWith(names(files)));
  return {
    name,
    who: 'superuser',
    outcome: found.verdict === 'intact' || !isSaid || isSigned ? 'missed' : 'detected',
    named: first !== undefined,
    said: `${first ? `${first.entry}: ${first.what}` : found.verdict} | ${signing} | ${copies}`,
  };
}

function nodeOn({ pool }: TestDatabase, path: string): Deps {
  const checkpointFolder = openCheckpointFolder(path);
  return {
    ...archiveDepsOn(pool),
    checkpointFolder,
    archiveMemory: openArchiveMemory(join(path, 'k.signed'), [checkpointFolder]),
    signals: makeSignals(),
  };
}
