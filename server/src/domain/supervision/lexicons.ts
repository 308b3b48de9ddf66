import type { Deps } from '../../deps.ts';
import * as store from '../../store/supervision/lexicons.ts';
import { getFirm, lockFirm } from '../accounts/firms.ts';
import { archiveSetting } from '../accounts/settings.ts';
import { byOperator } from '../archive/archive.ts';
import { problem } from '../problems.ts';
import { Bounded } from '../shared/bounded.ts';
import type { Signals } from '../shared/signals.ts';
import type { Verdict } from '../texting/texts.ts';
import { detectorNames } from './detectors.ts';
import { actions, type Finding, type Matcher, matcherOf, type Rule, wordsOf } from './lexicon-matching.ts';

/** What a firm's supervision looks for in texts. Version 0 is ours. */
export type Lexicon = { version: number; rules: Rule[] };
export type Judge = (text: string) => Verdict | null;

/** How long a lexicon is remembered: a change is felt within a second. */
const rememberedMs = 1_000;
const rulesMax = 100;
const nameLengthMax = 100;
const phrasesMax = 2_000;
const phraseLengthMax = 200;
const phraseWordsMax = 20;

/** People's numbers never go out by text. What may be meant harmlessly waits for somebody to read it. */
const defaultRules: Rule[] = [
  { name: 'Card number', action: 'block', detector: 'card_number' },
  { name: 'Social-security number', action: 'block', detector: 'social_security_number' },
  { name: 'Promise of returns', action: 'hold', detector: 'promise_of_returns' },
  { name: 'Off channel', action: 'hold', detector: 'off_channel' },
];
const defaultLexicon: Lexicon = { version: 0, rules: defaultRules };

type Known = { version: number; match: Matcher; goodUntilMs: number };

/** What each node remembers; a node is told from others by its signals. */
const knownByNode = new WeakMap<Signals, Bounded<number, Known>>();

/** What each of these firms' lexicons says to a text. Those that this node has just looked at cost no statement. */
export async function judgesOf(deps: Pick<Deps, 'db' | 'signals'>, firmIds: number[]): Promise<Map<number, Judge>> {
  const known = knownOn(deps);
  const wanted = [...new Set(firmIds)];
  const nowMs = Date.now();
  const stale = wanted.filter((firmId) => (known.get(firmId)?.goodUntilMs ?? 0) <= nowMs);
  if (stale.length > 0) await refresh(deps, stale, nowMs + rememberedMs);
  return new Map(wanted.map((firmId) => [firmId, judgeOf(known.get(firmId))]));
}

function knownOn({ signals }: Pick<Deps, 'signals'>): Bounded<number, Known> {
  const known = knownByNode.get(signals) ?? new Bounded<number, Known>();
  knownByNode.set(signals, known);
  return known;
}

/** A version that is known already isn't made ready again: it never changes. */
async function refresh(deps: Pick<Deps, 'db' | 'signals'>, firmIds: number[], goodUntilMs: number): Promise<void> {
  const known = knownOn(deps);
  const own = new Map((await store.listLexicons(deps.db, firmIds)).map((row) => [row.firmId, row]));
  for (const firmId of firmIds) {
    const { version, rules } = own.get(firmId) ?? defaultLexicon;
    const before = known.get(firmId);
    const match = before?.version === version ? before.match : matcherOf(rulesIn(rules));
    known.set(firmId, { version, match, goodUntilMs });
  }
}

function rulesIn(rules: Rule[] | string): Rule[] {
  return typeof rules === 'string' ? JSON.parse(rules) : rules;
}

function judgeOf(known: Known | undefined): Judge {
  if (!known) throw new Error('A lexicon that was just read is not known.');
  return (text) => verdictOn(known.match(text), known.version);
}

function verdictOn(findings: Finding[], lexiconVersion: number): Verdict | null {
  if (findings.length === 0) return null;
  const strictest = Math.max(...findings.map(({ action }) => actions.indexOf(action)));
  return { action: actions[strictest] ?? 'block', rules: findings.map(({ rule }) => rule), lexiconVersion };
}

export async function getLexicon(deps: Deps, firmId: number): Promise<Lexicon> {
  await getFirm(deps, firmId);
  const [own] = await store.listLexicons(deps.db, [firmId]);
  return own ? { version: own.version, rules: rulesIn(own.rules) } : defaultLexicon;
}

/** From the next text on, on other nodes within a second. What was decided before keeps its version. */
export async function setLexicon(deps: Deps, firmId: number, json: string): Promise<Lexicon> {
  const rules = checkedRules(json);
  return deps.db.transaction(async (db) => {
    const within = { ...deps, db };
    await lockFirm(within, firmId);
    const version = await store.insertLexicon(db, firmId, JSON.stringify(rules), deps.clock.now());
    await archiveSetting(within, byOperator, { what: 'lexicon set', of: { firmId, version }, values: { rules } });
    db.afterCommit(() => knownOn(deps).set(firmId, { version, match: matcherOf(rules), goodUntilMs: 0 }));
    return { version, rules };
  });
}

/** What would happen to a text now, and why. */
export async function testLexicon(
  deps: Deps,
  firmId: number,
  text: string,
): Promise<{ verdict: Verdict | null; findings: Finding[] }> {
  const { version, rules } = await getLexicon(deps, firmId);
  const findings = matcherOf(rules)(text);
  return { verdict: verdictOn(findings, version), findings };
}

/** The rules in a file; what is wrong with them is told in a sentence. */
function checkedRules(json: string): Rule[] {
  const given = parsed(json);
  if (!isRecord(given) || !Array.isArray(given.rules) || Object.keys(given).length > 1)
    throw refused('is an object with "rules", a list');
  if (given.rules.length > rulesMax) throw refused(`has at most ${rulesMax} rules`);
  const rules = given.rules.map(checkedRule);
  const names = new Set(rules.map(({ name }) => name));
  if (names.size < rules.length) throw refused('has no two rules of one name');
  const phrases = rules.reduce((sum, rule) => sum + ('phrases' in rule ? rule.phrases.length : 0), 0);
  if (phrases > phrasesMax) throw refused(`has at most ${phrasesMax} phrases`);
  return rules;
}

function checkedRule(rule: unknown, index: number): Rule {
  const refuse = (what: string) => refused(`has rules that each have ${what}; rule ${index + 1} has not`);
  if (!isRecord(rule)) throw refuse('a name, an action, and a detector or phrases');
  const { name, action, detector, phrases, ...more } = rule;
  if (typeof name !== 'string' || name.trim() === '' || name.length > nameLengthMax)
    throw refuse(`a name of 1 to ${nameLengthMax} characters`);
  const isAction = actions.find((each) => each === action);
  if (!isAction) throw refuse(`an action, one of ${actions.join(', ')}`);
  if ((detector === undefined) === (phrases === undefined) || Object.keys(more).length > 0)
    throw refuse('a name, an action, and either a detector or phrases, and nothing else');
  const common = { name: name.trim(), action: isAction };
  if (phrases !== undefined) return { ...common, phrases: checkedPhrases(phrases, refuse) };
  const isDetector = detectorNames.find((each) => each === detector);
  if (!isDetector) throw refuse(`a detector of ours, one of ${detectorNames.join(', ')}`);
  return { ...common, detector: isDetector };
}

function checkedPhrases(phrases: unknown, refuse: (what: string) => Error): string[] {
  if (!Array.isArray(phrases) || phrases.length === 0) throw refuse('a list of phrases');
  return phrases.map((phrase) => {
    const isPhrase = typeof phrase === 'string' && phrase.length <= phraseLengthMax && phrase.isWellFormed();
    const words = isPhrase ? wordsOf(phrase).length : 0;
    if (words === 0 || words > phraseWordsMax)
      throw refuse(`phrases of 1 to ${phraseWordsMax} words and at most ${phraseLengthMax} characters`);
    return phrase;
  });
}

function parsed(json: string): unknown {
  try {
    return JSON.parse(json);
  } catch (cause) {
    throw problem('invalid_request', 'A lexicon is JSON, and this is not.', { cause });
  }
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function refused(what: string) {
  return problem('invalid_request', `A lexicon ${what}.`);
}
