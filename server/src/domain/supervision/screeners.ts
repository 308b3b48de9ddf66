import type { Db } from '../../store/database/db.ts';
import { listNewLexicons } from '../../store/supervision/lexicons.ts';
import type { Screener, Screeners } from '../ports.ts';
import { BoundedMap } from '../shared/bounded-map.ts';
import { takeTurn } from '../shared/turns.ts';
import { type Matcher, matcherInTurns, matcherOf, screen } from './lexicon-matching.ts';
import { defaultLexicon, rulesIn } from './lexicons.ts';

type KnownLexicon = { version: number; match: Matcher; goodUntilMs: number };

/** How long a node uses a lexicon before it looks for a new version: a change takes effect within a second. */
const goodMs = 1_000;

const ofDefault = { version: defaultLexicon.version, match: matcherOf(defaultLexicon.rules) };

export function makeScreeners(): Screeners {
  let known = new BoundedMap<number, KnownLexicon>();

  async function refresh(db: Db, firmIds: number[], goodUntilMs: number): Promise<void> {
    // A version never changes, so its matcher stays good.
    const used = firmIds.map((firmId) => ({ firmId, ...ofDefault, ...known.get(firmId), goodUntilMs }));
    const changed = await listNewLexicons(db, used);
    async function prepare(): Promise<void> {
      for (const { firmId, version, rules } of changed)
        known.set(firmId, { version, match: await matcherInTurns(takeTurn, rulesIn(rules)), goodUntilMs });
    }
    if (changed.length > 0) await db.beforehand(prepare);
    for (const { firmId, ...lexicon } of used)
      if (!changed.some((each) => each.firmId === firmId)) known.set(firmId, lexicon);
  }

  return {
    async of(db, firmIds) {
      const wanted = [...new Set(firmIds)];
      const nowMs = performance.now();
      const stale = wanted.filter((firmId) => (known.get(firmId)?.goodUntilMs ?? 0) <= nowMs);
      if (stale.length > 0) await refresh(db, stale, nowMs + goodMs);
      return new Map(wanted.map((firmId) => [firmId, screenerOf(known.get(firmId))]));
    },
    forget() {
      known = new BoundedMap();
    },
    expire(firmId) {
      const before = known.get(firmId);
      if (before) known.set(firmId, { ...before, goodUntilMs: 0 });
    },
  };
}

function screenerOf(known: KnownLexicon | undefined): Screener {
  if (!known) throw new Error('A lexicon that was just read is not known.');
  return (text) => screen(known.match(text), known.version);
}
