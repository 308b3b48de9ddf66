import { mkdirSync, readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { makeFolder, writeExport } from '../src/adapters/files/exports/folder.ts';
import { readConfig } from '../src/config.ts';
import { verifyAgainstCopies } from '../src/domain/archive/archive-status.ts';
import { growTree } from '../src/domain/archive/archive-tree.ts';
import { copyCheckpoints } from '../src/domain/archive/checkpoint-copies.ts';
import { verifyPackage } from '../src/domain/examiner/package.mjs';
import { exportArchive } from '../src/domain/record-keeping/archive-export.ts';
import { makeLog } from '../src/log.ts';
import { type Runtime, startRuntime } from '../src/runtime.ts';
import { startEmbedded } from '../src/store/database/embedded.ts';
import { signOften } from './checkpoints.ts';
import { type Load, load, medianOf } from './load.ts';
import type { Scratch } from './scratch.ts';
import { addAdvisors, type Cast, makeCast, startSendServer } from './send-cast.ts';
import { countTexts, insertTexts, type Texts } from './send-history.ts';
import type { Sizes } from './sizes.ts';
import { heading, ms, type Row, ratio, say, table, whole } from './tables.ts';

const connections = 64;
const verifySecondsMax = 20;
/** Few, so that a package of one of them is large. */
const advisorCount = 8;
/** So many that each has only a few texts between two checkpoints. */
const manyAdvisors = 1_000;
/** As many as come in a second or two, when the tree grows again. */
const textsBetween = 2_500;

/** The cost of the archive's proofs: to build, to check, to export, and for sends at the same time. */
export async function measureArchive(scratch: Scratch, sizes: Sizes): Promise<string[]> {
  const embedded = await startEmbedded(join(scratch.folder, 'archive'), say);
  const server = scratch.owns(() => embedded.stop());
  const cast = await makeCast(scratch, embedded, 'archive');
  const bars = await measureSends(scratch, sizes, cast);
  const large = await makeCast(scratch, embedded, 'large_archive');
  bars.push(...(await measureProofs(scratch, sizes, large)));
  await large.close();
  const crowded = await makeCast(scratch, embedded, 'crowded_archive');
  bars.push(...(await measureMany(scratch, sizes, crowded)));
  await crowded.close();
  await cast.close();
  await server.stop();
  return bars;
}

/** Alternates rounds of sends with and without the tree being built, on one database. */
async function measureSends(scratch: Scratch, { sends }: Sizes, cast: Cast): Promise<string[]> {
  heading(`Sends with and without the tree, ${connections} connections, medians of ${sends.rounds}`);
  const loads = { paused: [] as Load[], signing: [] as Load[] };
  for (let round = -1; round < sends.rounds; round++)
    for (const shape of ['paused', 'signing'] as const) {
      const { port, stop } = await startSendServer(scratch, cast, 'product', shape);
      const requests = await cast.requests();
      await load({ port, requests, connections, seconds: sends.warmUpSeconds });
      const measured = await load({ port, requests, connections, seconds: sends.roundSeconds });
      // The first round of each warms up the database.
      if (round >= 0) loads[shape].push(measured);
      await stop();
      await cast.owner.query('truncate dispatches');
    }
  const [without, withTree] = [medianOf(loads.paused), medianOf(loads.signing)];
  table(
    [
      { tree: 'not built', ...without },
      { tree: 'built every two seconds', ...withTree },
    ].map(({ tree, perSecond, p50Ms, p99Ms }) => ({
      tree,
      'sends/s': whole(perSecond),
      'p50 ms': ms(p50Ms),
      'p99 ms': ms(p99Ms),
    })),
  );
  return [`sends with the tree being built: ${ratio(withTree.perSecond / without.perSecond)} of those without`];
}

/** Checking an archive of few advisors, and packages of one of them. */
async function measureProofs(scratch: Scratch, sizes: Sizes, cast: Cast): Promise<string[]> {
  const { archivedEntries, archivedCheckpoints } = sizes;
  heading(`An archive of ${whole(archivedEntries)} entries of ${advisorCount} advisors: texts and what became of them`);
  const { runtime, stop } = await startOn(scratch, cast);
  const outsideDir = runtime.config.archiveOutsideDir;
  const { timed, rows } = stopwatch();
  const seconds = await measureVerify(cast, runtime, { entries: archivedEntries, advisors: advisorCount, timed });
  const measurePackages = async (name: string) => {
    for (const format of ['ndjson', 'eml'] as const) {
      const folder = join(scratch.folder, `${name}-${format}`);
      await timed(`export of one advisor, ${format}`, () => exportOne(runtime, cast, folder, format));
      await timed('verify that package', () => verifyOne(runtime, outsideDir, folder));
    }
  };
  await measurePackages('package');
  await signOften(runtime, cast, outsideDir, archivedCheckpoints);
  await timed(`verify all, with ${whole(archivedCheckpoints)} checkpoints`, () => verifyAll(runtime));
  await measurePackages('package-later');
  table(rows);
  await stop();
  return [verifyBar(archivedEntries, advisorCount, seconds)];
}

async function measureMany(scratch: Scratch, { archivedEntries }: Sizes, cast: Cast): Promise<string[]> {
  heading(`An archive of ${whole(archivedEntries)} entries of ${whole(manyAdvisors)} advisors`);
  const { runtime, stop } = await startOn(scratch, cast);
  await addAdvisors(runtime, cast, manyAdvisors);
  const { timed, rows } = stopwatch();
  const seconds = await measureVerify(cast, runtime, { entries: archivedEntries, advisors: manyAdvisors, timed });
  table(rows);
  await stop();
  return [verifyBar(archivedEntries, manyAdvisors, seconds)];
}

async function startOn(scratch: Scratch, { databaseUrl, dataDir }: Cast) {
  const settings = { DATABASE_URL: databaseUrl, ASSENT_DATA_DIR: dataDir, DATABASE_TIMEOUT_MS: '60000' };
  const runtime = await startRuntime(readConfig(settings), makeLog('silent'), say);
  return { runtime, stop: scratch.owns(runtime.stop).stop };
}

type Stopwatch = (what: string, work: () => Promise<number>) => Promise<number>;

/** Measures work that returns a number of entries: the seconds, and what goes into the table. */
function stopwatch(): { timed: Stopwatch; rows: Row[] } {
  const rows: Row[] = [];
  return {
    rows,
    async timed(what, work) {
      const began = performance.now();
      const memory = watchMemory();
      const entries = await work();
      const elapsedMs = performance.now() - began;
      rows.push({
        what,
        entries: whole(entries),
        s: (elapsedMs / 1000).toFixed(1),
        'entries/s': whole((entries / elapsedMs) * 1000),
        'MB at most': whole(memory.stop() / 1024 ** 2),
      });
      return elapsedMs / 1000;
    },
  };
}

/** Fills the archive, grows its tree, and returns the seconds that it takes to verify all of it. */
async function measureVerify(
  cast: Cast,
  runtime: Runtime,
  { entries, advisors, timed }: { entries: number; advisors: number; timed: Stopwatch },
): Promise<number> {
  // The advisors are those whose entries say that they were added.
  const texts = { advisors, isSettled: true, from: new Date(), everyMs: 0.02 };
  await insertTexts(cast, entries / 2, texts);
  await timed('add to the tree and sign', () => growAsSent(cast, runtime, entries / 2, texts));
  await timed('copy to the checkpoint folder', async () => {
    await copyCheckpoints(runtime);
    return entries;
  });
  return timed('verify all', () => verifyAll(runtime));
}

/** Grows the tree as it grows in production: in the order of time, not advisor by advisor. */
async function growAsSent(cast: Cast, runtime: Runtime, count: number, texts: Texts): Promise<number> {
  let taken = 0;
  for (let sent = 0; sent < count; ) {
    sent = Math.min(count, sent + textsBetween);
    await countTexts(cast, sent, texts);
    for (let some = await growTree(runtime); some; some = await growTree(runtime)) taken += some;
  }
  return taken;
}

function verifyBar(entries: number, advisors: number, seconds: number): string {
  return `verify of ${whole(entries)} entries of ${whole(advisors)} advisors: ${seconds.toFixed(1)} s (bar ${verifySecondsMax} s for a million)`;
}

/** The most memory that the process has, by a look every 50 ms. */
function watchMemory(): { stop(): number } {
  let most = 0;
  const look = () => {
    most = Math.max(most, process.memoryUsage.rss());
  };
  const timer = setInterval(look, 50);
  return {
    stop() {
      clearInterval(timer);
      look();
      return most;
    },
  };
}

async function verifyAll(runtime: Runtime): Promise<number> {
  const verifiers = runtime.signer ? [runtime.signer.verifier] : [];
  const { verdict, size } = await verifyAgainstCopies(runtime, { verifiers, notes: null, progress: () => {} });
  if (verdict !== 'intact') throw new Error(`The archive is ${verdict}.`);
  return size;
}

async function exportOne(runtime: Runtime, { owner }: Cast, folder: string, format: 'ndjson' | 'eml'): Promise<number> {
  const { rows } = await owner.query(
    'select advisor_id as id from archive_heads where advisor_id > 0 order by last_number desc limit 1',
  );
  mkdirSync(folder, { recursive: true });
  await makeFolder(folder);
  const period = { from: new Date('2000-01-01'), to: new Date('2100-01-01') };
  const exported = await exportArchive(runtime, String(rows[0].id), { ...period, format });
  return writeExport(exported, { folder, withEmails: format === 'eml', progress: () => {} });
}

async function verifyOne(runtime: Runtime, outsideDir: string, folder: string): Promise<number> {
  await copyCheckpoints(runtime);
  const checkpointFile = readdirSync(outsideDir)
    .map((name) => join(outsideDir, name))
    .find((path) => path.endsWith('checkpoints') && statSync(path).isFile());
  const { verdict, message, entries } = verifyPackage({
    packageDir: folder,
    checkpointFile: checkpointFile ?? '',
    pubkeyFile: join(folder, 'public-key'),
  });
  if (verdict !== 'intact') throw new Error(`The package is ${verdict}: ${message}`);
  return entries;
}
