import { isDeepStrictEqual } from 'node:util';
import { type Deps, inTransaction } from '../../deps.ts';
import * as store from '../../store/supervision/lexicons.ts';
import { getFirm, lockFirm } from '../accounts/firms.ts';
import { archiveSetting } from '../accounts/settings.ts';
import { type By, byOperator } from '../archive/archive.ts';
import { problem } from '../problems.ts';
import type { TakeTurn } from '../shared/turns.ts';
import { detectorNames } from './detectors.ts';
import { type Mark, markFindings } from './findings.ts';
import { type Action, actions, matcherInTurns, matcherOf, type Rule, screen, wordsOf } from './lexicon-matching.ts';

/** What a firm's supervision looks for in texts. Version 0 is our default. */
export type Lexicon = { version: number; rules: Rule[] };

const rulesMax = 100;
const nameLengthMax = 100;
const phrasesMax = 2_000;
const phraseLengthMax = 200;
const phraseWordsMax = 20;
const historyMax = 100;

/** Card and social-security numbers never go out by text. Wording that may be harmless waits for somebody to read it. */
const defaultRules: Rule[] = [
  { name: 'Card number', action: 'block', detector: 'card_number' },
  { name: 'Social-security number', action: 'block', detector: 'social_security_number' },
  { name: 'Promise of returns', action: 'hold', detector: 'promise_of_returns' },
  { name: 'Off channel', action: 'hold', detector: 'off_channel' },
];
export const defaultLexicon: Lexicon = { version: 0, rules: defaultRules };

export async function getLexicon(deps: Deps, firmId: number): Promise<Lexicon> {
  await getFirm(deps, firmId);
  const [own] = await store.listNewLexicons(deps.db, [{ firmId, version: defaultLexicon.version }]);
  return own ? { version: own.version, rules: rulesIn(own.rules) } : defaultLexicon;
}

/** A version of the firm's lexicon. Version 0 is our default, which every firm began with. */
export async function getLexiconVersion({ db }: Deps, firmId: number, version: number): Promise<Lexicon> {
  if (version === 0) return defaultLexicon;
  const [row] = await store.listLexiconVersions(db, [{ firmId, version }]);
  if (!row) throw problem('not_found', `There is no version ${version} of the lexicon.`);
  return { version, rules: rulesIn(row.rules) };
}

export function listLexiconHistory({ db }: Deps, firmId: number): Promise<store.LexiconVersionRow[]> {
  return store.listLexiconHistory(db, firmId, historyMax);
}

/** Whether a rule that holds or blocks texts is missing or isn't the same. */
export function isWeaker(before: Rule[], after: unknown[]): boolean {
  const stopping = before.filter(({ action }) => action !== 'flag');
  return !stopping.every((rule) => after.some((other) => isDeepStrictEqual(rule, other)));
}

/** By whom: an operator, or somebody of the firm's staff, who has edited this version. */
type LexiconEdit = { by: By; setBy: number; basedOn: number };

/** Takes effect on this node with the next text, on others within a second. Earlier decisions keep their version. */
export async function setLexicon(deps: Deps, firmId: number, json: string, edit?: LexiconEdit): Promise<Lexicon> {
  const rules = await checkedRules(deps.turn, json);
  return inTransaction(deps, async (deps) => {
    await lockFirm(deps, firmId);
    const present = edit ? (await getLexicon(deps, firmId)).version : null;
    if (edit && present !== edit.basedOn)
      throw problem('conflict', `Somebody has saved version ${present} meanwhile: yours is based on ${edit.basedOn}.`);
    const lexicon = { rules: JSON.stringify(rules), setBy: edit?.setBy ?? null };
    const version = await store.insertLexicon(deps.db, firmId, lexicon, deps.clock.now());
    await archiveSetting(deps, edit?.by ?? byOperator, {
      what: 'lexicon set',
      of: { firmId, version },
      values: { rules },
    });
    deps.db.afterCommit(() => deps.screeners.expire(firmId));
    return { version, rules };
  });
}

/** What would happen to a text now, and why. */
export async function testLexicon(deps: Deps, firmId: number, text: string) {
  const { version, rules } = await getLexicon(deps, firmId);
  const findings = matcherOf(rules)(text);
  return { finding: screen(findings, version), findings };
}

/** What these rules would do with a text, and where they match it. */
export async function tryRules(
  { turn }: Pick<Deps, 'turn'>,
  json: string,
  text: string,
): Promise<{ action: Action | null; rules: string[]; marks: Mark[] }> {
  const match = await matcherInTurns(turn, await checkedRules(turn, json));
  const finding = screen(match(text), 0);
  await turn();
  return { action: finding?.action ?? null, rules: finding?.rules ?? [], marks: markFindings(text, match) };
}

/** Ours are a list; the store keeps a firm's own as text. */
export function rulesIn(rules: Rule[] | string): Rule[] {
  return typeof rules === 'string' ? JSON.parse(rules) : rules;
}

/** The rules in a file or an editor. If something is wrong with them, the problem says what. */
export async function checkedRules(turn: TakeTurn, json: string): Promise<Rule[]> {
  const given = parsed(json);
  if (!isRecord(given) || !Array.isArray(given.rules) || Object.keys(given).length > 1)
    throw refused('is an object with "rules", a list');
  if (given.rules.length > rulesMax) throw refused(`has at most ${rulesMax} rules`);
  const rules: Rule[] = [];
  for (const rule of given.rules) rules.push(await checkedRule(turn, rule, rules.length));
  const names = new Set(rules.map(({ name }) => name));
  if (names.size < rules.length) throw refused('has rules with different names');
  const phrases = rules.reduce((sum, rule) => sum + ('phrases' in rule ? rule.phrases.length : 0), 0);
  if (phrases > phrasesMax) throw refused(`has at most ${phrasesMax} phrases`);
  return rules;
}

async function checkedRule(turn: TakeTurn, rule: unknown, index: number): Promise<Rule> {
  const refuse = (what: string) => refused(`has rules that each have ${what}; rule ${index + 1} doesn’t`);
  if (!isRecord(rule)) throw refuse('a name, an action, and a detector or phrases');
  const { name, action, detector, phrases, ...more } = rule;
  if (typeof name !== 'string' || name.trim() === '' || name.length > nameLengthMax)
    throw refuse(`a name of 1 to ${nameLengthMax} characters`);
  const isAction = actions.find((each) => each === action);
  if (!isAction) throw refuse(`an action, one of ${actions.join(', ')}`);
  if ((detector === undefined) === (phrases === undefined) || Object.keys(more).length > 0)
    throw refuse('a name, an action, and either a detector or phrases, and nothing else');
  const common = { name: name.trim(), action: isAction };
  if (phrases !== undefined) return { ...common, phrases: await checkedPhrases(turn, phrases, refuse) };
  const isDetector = detectorNames.find((each) => each === detector);
  if (!isDetector) throw refuse(`a detector, one of ${detectorNames.join(', ')}`);
  return { ...common, detector: isDetector };
}

async function checkedPhrases(turn: TakeTurn, phrases: unknown, refuse: (what: string) => Error): Promise<string[]> {
  if (!Array.isArray(phrases) || phrases.length === 0) throw refuse('a list of phrases');
  for (const phrase of phrases) {
    await turn();
    // A ligature may be 18 letters: two thousand phrases of those would take a node most of a second to prepare.
    const isPhrase =
      typeof phrase === 'string' &&
      phrase.isWellFormed() &&
      Math.max(phrase.length, phrase.normalize('NFKD').length / 2) <= phraseLengthMax;
    const words = isPhrase ? wordsOf(phrase).length : 0;
    if (words === 0 || words > phraseWordsMax)
      throw refuse(`phrases of 1 to ${phraseWordsMax} words and at most ${phraseLengthMax} characters`);
  }
  return phrases;
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
