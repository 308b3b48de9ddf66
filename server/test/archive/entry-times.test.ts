import assert from 'node:assert/strict';
import { test } from 'node:test';
import { nameOf } from '../../src/domain/examiner/entries.mjs';
import type { Checkpoint } from '../../src/domain/examiner/notes.mjs';
import { EntryTimes } from '../../src/domain/examiner/times.mjs';
import type { StoredLeaf } from '../../src/store/archive/archive-tree.ts';

const start = Date.parse('2026-03-02T15:00:00Z');
const at = (seconds: number) => new Date(start + seconds * 1000).toISOString();
const production = { clockMoves: false };

function signedAt(size: number, seconds: number): Checkpoint {
  return { origin: 'test', size, root: Buffer.alloc(32), time: at(seconds), note: '' };
}

/** An entry that explains a time of an advisor. */
function explanation(where: { number: number; leaf: number }, of: { advisorId: number; from: number; to: number }) {
  const meta = JSON.stringify({ what: 'times explained', of });
  return { ...where, advisorId: 0, kind: 'setting', actor: 'staff:1', meta, dateTime: at(0) };
}

/** The entries of some advisors, in the order of leaves; their numbers are the leaves. */
function leaves(...times: [advisorId: number, seconds: number][]): StoredLeaf[] {
  return times.map(
    ([advisorId, seconds], leaf) => ({ advisorId, leaf, number: leaf, dateTime: at(seconds) }) as StoredLeaf,
  );
}

function namedBy(checkpoints: Checkpoint[], entries: StoredLeaf[], options = production): string[] {
  const times = new EntryTimes(options);
  const bySize = Map.groupBy(checkpoints, ({ size }) => size);
  const signed = Array.from(bySize, ([size, all]) => {
    const timesMs = all.map(({ time }) => Date.parse(time));
    return { size, firstMs: Math.min(...timesMs), lastMs: Math.max(...timesMs) };
  });
  times.add(signed);
  return named(times, entries);
}

function named(times: EntryTimes, entries: StoredLeaf[]): string[] {
  return entries.flatMap((entry) => {
    const what = times.faultOf(entry);
    return what ? `${nameOf(entry)}: ${what}` : [];
  });
}

test('within a book, times don’t go back by more than clocks differ; books are independent', () => {
  const entries = leaves([1, 0], [1, 100], [1, 41], [2, 0], [1, 39], [1, 100]);
  assert.deepEqual(namedBy([], entries), ['entry 4 of advisor 1: its time is before that of the entry before it']);
});

test('an entry is not older than a checkpoint that doesn’t cover it, except by an open transaction', () => {
  const checkpoints = [signedAt(1, 1_000), signedAt(3, 1_002)];
  const entries = leaves([1, 999], [2, 701], [3, 699]);
  const said = 'its time is before a checkpoint that didn’t cover it';
  assert.deepEqual(namedBy(checkpoints, entries), [`entry 2 of advisor 3: ${said}`]);
});

test('a checkpoint that was signed again at the same size covers nothing that is older', () => {
  const checkpoints = [signedAt(1, 0), signedAt(1, 1_000), signedAt(2, 1_002)];
  assert.equal(namedBy(checkpoints, leaves([1, 0], [2, 500])).length, 1);
});

test('entries that waited while nothing was signed may be old', () => {
  assert.deepEqual(namedBy([signedAt(1, 0), signedAt(2, 9_000)], leaves([1, 0], [2, 10])), []);
});

test('entries that a full checkpoint left for the next one may be old', () => {
  const checkpoints = [signedAt(5_000, 9_000), signedAt(5_001, 9_002)];
  const entries = leaves([1, 0]).concat({ ...leaves([2, 10])[0], leaf: 5_000, number: 1 } as StoredLeaf);
  assert.deepEqual(namedBy(checkpoints, entries), []);
});

test('in production an entry is not from after the first checkpoint that covers it; a sandbox’s clock runs ahead', () => {
  const checkpoints = [signedAt(2, 0), signedAt(2, 9_000)];
  const entries = leaves([1, 59], [2, 61]);
  const said = 'its time is after the checkpoint that covers it';
  assert.deepEqual(namedBy(checkpoints, entries), [`entry 1 of advisor 2: ${said}`]);
  assert.deepEqual(namedBy(checkpoints, entries, { clockMoves: true }), []);
});

test('an explanation covers the times of what came before it, and only in its span', () => {
  const times = new EntryTimes(production);
  times.take(explanation({ number: 7, leaf: 3 }, { advisorId: 1, from: 1, to: 9 }));
  const what = 'its time is before that of the entry before it';
  const entries = leaves([1, 1_000], [1, 0], [2, 0], [1, 2], [1, 1_001]);
  assert.deepEqual(named(times, entries), [`entry 3 of advisor 1: ${what}`]);
  assert.deepEqual(times.explained(), [{ by: 'entry 7 of advisor 0', found: 1, entry: 'entry 1 of advisor 1', what }]);
});

test('once a step is explained, times begin anew after it, and what goes back only because of it stays listed', () => {
  const entries = leaves([0, 3_600], [1, 3_600], [0, 5], [1, 10], [0, 20], [1, -60], [2, 30], [3, -300]);
  const step = { advisorId: 0, number: 2, leaf: 2, kind: 'setting', actor: 'staff:1', dateTime: at(5) };
  const judged = (isExplained: boolean) => {
    const times = new EntryTimes(production);
    times.take({ ...step, meta: '{"what":"clock step accepted"}' });
    if (isExplained) times.take(explanation({ number: 4, leaf: 4 }, { advisorId: 0, from: 2, to: 2 }));
    times.add([{ size: 2, firstMs: start + 3_602_000, lastMs: start + 3_602_000 }]);
    return { faults: named(times, entries), explained: times.explained() };
  };
  assert.equal(judged(false).faults.length, 6);
  const what = 'its time is before that of the entry before it';
  assert.deepEqual(judged(true), {
    faults: [
      `entry 5 of advisor 1: ${what}`,
      'entry 7 of advisor 3: its time is before a checkpoint that didn’t cover it',
    ],
    explained: [{ by: 'entry 4 of advisor 0', found: 4, entry: 'entry 2 of advisor 0', what }],
  });
});

test('a step that is told after entries that follow it hides nothing', () => {
  const entries = leaves([0, 3_600], [0, 5], [1, 900], [0, 902], [1, 10]);
  const of = { advisorId: 0, kind: 'setting', actor: 'staff:1', meta: '{"what":"clock step accepted"}' };
  const [step, later] = [
    { ...of, number: 1, leaf: 1, dateTime: at(5) },
    { ...of, number: 3, leaf: 3, dateTime: at(902) },
  ];
  const what = 'its time is before that of the entry before it';
  const judged = (told: (typeof step)[], before: number) => {
    const times = new EntryTimes(production);
    times.take(explanation({ number: 5, leaf: 5 }, { advisorId: 0, from: 1, to: 3 }));
    times.add([
      { size: 1, firstMs: start + 3_602_000, lastMs: start + 3_602_000 },
      { size: 3, firstMs: start + 901_000, lastMs: start + 901_000 },
    ]);
    const first = named(times, entries.slice(0, before));
    for (const each of told) times.take(each);
    return [...first, ...named(times, entries.slice(before))];
  };
  assert.deepEqual(judged([step], 0), [`entry 4 of advisor 1: ${what}`]);
  assert.equal(judged([step], 4).at(-1), `entry 4 of advisor 1: ${what}`);
  assert.deepEqual(judged([later, step], 0), judged([later], 0));
});

test('an entry that only the next step’s first checkpoint covers is not newer than that', () => {
  const times = new EntryTimes(production);
  times.add([], Date.parse(at(0)));
  assert.equal(named(times, leaves([1, 59], [1, 61])).length, 1);
  times.add([]);
  assert.deepEqual(named(times, leaves([1, 1_000])), []);
});
