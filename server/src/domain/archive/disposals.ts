import type { Deps } from '../../deps.ts';
import { listCheckpointTimes, type StoredLeaf } from '../../store/archive/archive-tree.ts';
import type { AdvisorFirm, RuleRow } from '../../store/archive/disposals.ts';
import * as store from '../../store/archive/disposals.ts';
import { Disposals, SignedTimes } from '../examiner/disposals.mjs';
import { factsIn } from '../examiner/entries.mjs';
import { deployment } from './archive.ts';

/** Judges bodies that are gone by the archived disposals, retentions and holds, and by the times of checkpoints. */
export type DisposalCheck = {
  /** What is wrong with the absence of the entry's body; null if it was due. */
  faultOf(entry: StoredLeaf): string | null;
};

type TimedCheckpoint = { size: number; time: string };

const rowsMax = 1_000;
const timesMax = 20_000;

/** The checkpoints' signatures are not checked here: verification reports one that nobody signed. */
export async function readDisposals(deps: Deps): Promise<DisposalCheck> {
  const rules = await readRules(deps);
  const firms = new Map((await store.listFirms(deps.db, [...rules.keys()])).map((row) => [row.advisorId, firmOf(row)]));
  const hasDisposals = rules.values().some((own) => own.some(({ kind }) => kind === 'disposal'));
  const times = new SignedTimes(hasDisposals ? await readTimes(deps) : []);
  const byAdvisor = new Map<number, Disposals>();
  for (const [advisorId, own] of rules) {
    const disposals = new Disposals(times, firms.get(advisorId) ?? null);
    for (const { leaf, body, ...row } of advisorId === deployment ? own : [...(rules.get(deployment) ?? []), ...own]) {
      const entry = { ...row, leaf: leaf ?? Infinity };
      if (row.kind !== 'disposal') disposals.takeRule(entry);
      else if (row.advisorId === advisorId) disposals.takeDisposal(entry, body);
    }
    byAdvisor.set(advisorId, disposals);
  }
  const none = new Disposals(times, null);
  return { faultOf: (entry) => (byAdvisor.get(entry.advisorId) ?? none).faultOf(entry) };
}

/** By the entry that added the advisor, which is signed, or else by their row. Whoever altered the entry may have broken its JSON. */
function firmOf({ firmId, meta }: AdvisorFirm): number {
  const signed = meta === null ? undefined : factsIn(meta).firmId;
  return typeof signed === 'number' ? signed : firmId;
}

async function readRules({ db }: Deps): Promise<Map<number, RuleRow[]>> {
  const rules = new Map<number, RuleRow[]>();
  for (let after = { advisorId: -1, number: 0 }; ; ) {
    const rows = await store.listRules(db, after, rowsMax);
    for (const row of rows) {
      const known = rules.get(row.advisorId);
      if (known) known.push(row);
      else rules.set(row.advisorId, [row]);
    }
    after = rows.at(-1) ?? after;
    if (rows.length < rowsMax) return rules;
  }
}

async function readTimes({ db }: Deps): Promise<TimedCheckpoint[]> {
  const times: TimedCheckpoint[] = [];
  for (let after = { size: -1, checkpointId: 0 }; ; ) {
    const rows = await listCheckpointTimes(db, after, timesMax);
    for (const { size, time } of rows) times.push({ size, time });
    after = rows.at(-1) ?? after;
    if (rows.length < timesMax) return times;
  }
}
