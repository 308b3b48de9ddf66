import { readFileSync } from 'node:fs';
import { ArchiveFault } from '../../domain/archive/archive-memory.ts';
import { archiveStatus, verifyAgainstCopies } from '../../domain/archive/archive-status.ts';
import type { Verdict } from '../../domain/archive/archive-verification.ts';
import { copyAnew, copyCheckpoints } from '../../domain/archive/checkpoint-copies.ts';
import { CopiesFault } from '../../domain/archive/outside-copies.ts';
import { readVerifier, type Verifier } from '../../domain/examiner/notes.mjs';
import { explanationLine } from '../../domain/examiner/times.mjs';
import { problem } from '../../domain/problems.ts';
import { verifyExport } from '../record-keeping/archive-export.ts';
import { inOneLine } from '../terminal.ts';
import { type Call, UsageError, type Verb } from '../verb.ts';

/** Examiners' scripts rely on these. If it fails, it can't tell. */
const exitCodes: Record<Verdict, number> = { intact: 0, altered: 1, incomplete: 2, unknown: 3 };

export const archiveVerbs: Verb[] = [
  {
    name: 'archive verify',
    about:
      'Recompute everything in the archive and compare it with what was signed; or, with --package, check an export without a database. Exits with 0 if intact, 1 if altered, 2 if incomplete, 3 if it can’t tell, or couldn’t look.',
    options: {
      package: { value: 'DIR', about: 'Check this export instead.' },
      checkpoint: { value: 'FILE', about: 'Checkpoints that were kept elsewhere; required with --package.' },
      pubkey: { value: 'FILE', about: 'Public keys, one per line; by default this deployment’s.' },
    },
    examples: ['archive verify', 'archive verify --package export --checkpoint checkpoints --pubkey key.pub'],
    connects: ({ options }) => options.package === undefined,
    isLong: true,
    failsWith: exitCodes.unknown,
    run: verify,
  },
  {
    name: 'archive status',
    about:
      'Show how much of the archive is signed and copied, how many entries are pending, what this node remembers, and any faults.',
    run: async ({ runtime, out }) => {
      const status = await archiveStatus(runtime);
      out.records(Object.entries(status).map(([what, value]) => ({ what, value })));
      if (status.fault || status.copiesFault || status.memoryFault) out.exitCode = 1;
    },
  },
  {
    name: 'archive copy',
    about:
      'Copy checkpoints to ARCHIVE_OUTSIDE_DIR now, as the server does automatically. With --anew, append everything again after what is left there: for copies that were lost or truncated, once you know why.',
    options: { anew: { about: 'Copy again from the first entry.' } },
    run: copy,
  },
  {
    name: 'archive public-key',
    about: 'Print only the public key that verifies checkpoints, to give to examiners.',
    run: async ({ runtime, out }) => {
      if (!runtime.signer)
        throw new UsageError('ARCHIVE_KEY_FILE is not set: this process doesn’t have the deployment’s key.');
      out.line(runtime.signer.publicKey);
    },
  },
];

async function copy({ runtime, switches, out }: Call): Promise<void> {
  const { signer, checkpointFolder: folder } = runtime;
  if (!signer || !folder) throw new UsageError('ARCHIVE_KEY_FILE and ARCHIVE_OUTSIDE_DIR must be set.');
  const copying = switches.has('anew') ? copyAnew({ ...runtime, signer, folder }) : copyCheckpoints(runtime);
  await copying.catch((cause) => {
    const isKnown = cause instanceof ArchiveFault || cause instanceof CopiesFault;
    throw isKnown ? problem('conflict', cause.message, { cause }) : cause;
  });
  out.note(`The copies in ${folder.path} cover ${runtime.signals.archive.copied} entries.`);
}

async function verify(call: Call): Promise<void> {
  if (call.options.package !== undefined) return verifyExport(call);
  const { runtime, options, json, out } = call;
  const verifiers = verifiersOf(call);
  const notes = options.checkpoint === undefined ? null : readFileSync(options.checkpoint, 'utf8');
  const progress = (done: number, total: number) => out.progress('Verifying', done, total);
  const found = await verifyAgainstCopies(runtime, { verifiers, notes, progress });
  const { verdict, faults, size, checkpoints, pending, disposed, explained } = found;
  out.exitCode = exitCodes[verdict];
  if (json) return out.records([found]);
  out.line(
    `${verdict}: ${size} entries, ${checkpoints} checkpoints, ${disposed} bodies disposed of under the retention rules`,
  );
  for (const { entry, what } of faults) out.line(inOneLine(`${entry}: ${what}`));
  for (const each of explained) out.line(explanationLine(each));
  if (verdict === 'unknown' && faults.length === 0)
    out.line('No checkpoint signed with one of the keys covers any of it.');
  if (pending > 0) out.note(`${pending} entries are not under a checkpoint yet.`);
}

function verifiersOf({ runtime, options }: Call): Verifier[] {
  const text = options.pubkey === undefined ? runtime.signer?.publicKey : readFileSync(options.pubkey, 'utf8');
  const verifiers = (text ?? '').split('\n').flatMap((line) => readVerifier(line) ?? []);
  if (verifiers.length === 0) throw new UsageError('There is no public key: give one with --pubkey FILE.');
  return verifiers;
}
