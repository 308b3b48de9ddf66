import type { Deps } from '../../deps.ts';
import * as store from '../../store/supervision/dry-runs.ts';
import { endsOf } from '../shared/text/text-rules.ts';
import { dayMs } from '../shared/time.ts';
import { excerptOf, type Mark, markFindings } from './findings.ts';
import {
  type Action,
  actions,
  type Matcher,
  matcherInTurns,
  type Rule,
  type RuleMatch,
  screen,
} from './lexicon-matching.ts';
import { checkedRules, getLexicon } from './lexicons.ts';

type Tally = Record<Action, number>;
/** A text that would be treated otherwise than today. `action` is null if nothing matches. */
type DryRunExample = {
  advisorName: string;
  phone: string | null;
  isReply: boolean;
  dateTime: Date;
  excerpt: string;
  marks: Mark[];
  rules: string[];
  before: Action | null;
  after: Action | null;
};

const days = 30;
const textsMax = 20_000;
const timeMs = 6_000;
const pageSize = 100;
const examplesMax = 25;
const kinds = ['blocked', 'out', 'in'] as const;

/**
 * What these rules would have done with the firm's texts of the last 30 days, beside what its present ones do. Advisors take turns,
 * the newest texts first, so that a run that is stopped has seen some of everybody's.
 */
export async function dryRun(deps: Deps, firmId: number, json: string) {
  const rules = await checkedRules(deps.turn, json);
  const present = await getLexicon(deps, firmId);
  const [before, after] = [await matcherInTurns(deps.turn, present.rules), await matcherInTurns(deps.turn, rules)];
  const count = counter({ before: present.rules, after: rules }, { before, after });
  const since = new Date(deps.clock.now().getTime() - days * dayMs);
  const end = performance.now() + timeMs;
  const advisors = await store.listFirmAdvisors(deps.db, firmId);
  let turns = advisors.flatMap((advisor) => kinds.map((kind) => ({ ...advisor, kind, before: null as number | null })));
  /** Why not all texts were read. */
  let stopped: 'time' | 'count' | null = null;
  while (turns.length > 0 && !stopped) {
    const next: typeof turns = [];
    for (const turn of turns) {
      stopped = performance.now() > end ? 'time' : count.result.texts >= textsMax ? 'count' : null;
      if (stopped) break;
      const { advisorId, kind, before } = turn;
      const page = await store.listScreenedTexts(deps.db, kind, { advisorId, since, before, limit: pageSize });
      for (const text of page) {
        await deps.turn();
        count.add(text, { advisorName: turn.name, isReply: kind === 'in' });
      }
      const last = page.at(-1);
      if (last && page.length === pageSize) next.push({ ...turn, before: last.id });
    }
    turns = next;
  }
  return { days, stopped, presentVersion: present.version, ...count.result };
}

type Versions = { before: Rule[]; after: Rule[] };

function counter(versions: Versions, { before, after }: Record<keyof Versions, Matcher>) {
  const names = [...new Set([...versions.before, ...versions.after].map(({ name }) => name))];
  const byRule = new Map(names.map((rule) => [rule, { rule, before: 0, after: 0 }]));
  const result = {
    texts: 0,
    before: { flag: 0, hold: 0, block: 0 } as Tally,
    after: { flag: 0, hold: 0, block: 0 } as Tally,
    changed: 0,
    rules: [...byRule.values()],
    examples: [] as DryRunExample[],
  };

  function tally(
    side: 'before' | 'after',
    match: Matcher,
    text: string,
    isReply: boolean,
  ): [Action | null, RuleMatch[]] {
    const findings = match(text);
    const action = actionOf(findings, isReply);
    if (action) result[side][action] += 1;
    for (const { rule } of findings) {
      const counted = byRule.get(rule);
      if (counted) counted[side] += 1;
    }
    return [action, findings];
  }

  function add({ text, dateTime, phone }: store.ScreenedText, of: { advisorName: string; isReply: boolean }): void {
    result.texts += 1;
    const [was] = tally('before', before, text, of.isReply);
    const [is, findings] = tally('after', after, text, of.isReply);
    if (was === is) return;
    result.changed += 1;
    if (result.examples.length >= examplesMax) return;
    // What isn't found any more is shown by the rules that found it.
    const shown = findings.length > 0 ? after : before;
    const read = endsOf(text);
    const excerpt = excerptOf(read, markFindings(read, shown));
    const marks = markFindings(excerpt, shown);
    const rules = findings.map(({ rule }) => rule);
    result.examples.push({ ...of, phone, dateTime, excerpt, marks, rules, before: was, after: is });
  }

  return { result, add };
}

/** A person's own text has already arrived: it is only ever flagged. */
function actionOf(findings: RuleMatch[], isReply: boolean): Action | null {
  const action = screen(findings, 0)?.action ?? null;
  return action && isReply ? actions[0] : action;
}
