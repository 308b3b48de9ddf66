import type { ScreeningFinding } from '../ports.ts';
import type { TakeTurn } from '../shared/turns.ts';
import { type Detector, detectors } from './detectors.ts';
import { readText } from './readings.ts';

/** What happens to a text that a rule matches; the strictest action counts. */
export const actions = ['flag', 'hold', 'block'] as const;
export type Action = (typeof actions)[number];
/** A rule matches what one of our detectors finds, or any of these phrases. */
export type Rule = { name: string; action: Action } & ({ detector: Detector } | { phrases: string[] });
/** A rule that matched, and what it found, in the normalized text. */
export type RuleMatch = { rule: string; action: Action; found: string };
export type Matcher = (text: string) => RuleMatch[];

/**
 * A trie of phrases by their words: a text is read once, however many phrases there are. Words and branches are numbers, and the root is 0:
 * a map for each branch would take five times the memory, and a dry run has two large lexicons at once.
 */
type Trie = { words: Map<string, number>; next: Map<number, number>; rules: Map<number, Set<Rule>> };
/** More than all phrases of a lexicon have. */
const wordsMax = 2 ** 20;

/** A phrase's words, while its rule is in use: to read those of a large lexicon takes longer than others should wait. */
const wordsOfRules = new WeakMap<Rule, string[][]>();

/**
 * Prepares rules for matching. Phrases match whole words, in any case, with or without accents; any white space or
 * punctuation between their words is the same. The time is linear in the text's length, whatever the rules are.
 */
export function matcherOf(rules: Rule[]): Matcher {
  const trie = trieOf(rules);
  return (text) => {
    const reading = readText(text);
    const phrases = trie.next.size > 0 ? findPhrases(trie, reading.clauses()) : null;
    const findings: RuleMatch[] = [];
    for (const rule of rules) {
      const found = 'detector' in rule ? detectors[rule.detector](reading) : phrases?.get(rule);
      if (found) findings.push({ rule: rule.name, action: rule.action, found });
    }
    return findings;
  };
}

/** The same, in turns. */
export async function matcherInTurns(turn: TakeTurn, rules: Rule[]): Promise<Matcher> {
  for (const rule of rules) {
    if (!('phrases' in rule) || wordsOfRules.has(rule)) continue;
    const read: string[][] = [];
    for (const phrase of rule.phrases) {
      await turn();
      read.push(wordsOf(phrase));
    }
    wordsOfRules.set(rule, read);
  }
  await turn();
  return matcherOf(rules);
}

/** The strictest action of the rules that matched, if any did. */
export function screen(findings: RuleMatch[], lexiconVersion: number): ScreeningFinding | null {
  if (findings.length === 0) return null;
  const strictest = Math.max(...findings.map(({ action }) => actions.indexOf(action)));
  return { action: actions[strictest] ?? 'block', rules: findings.map(({ rule }) => rule), lexiconVersion };
}

/** A phrase's words as they are compared; none if it has only white space and punctuation. */
export function wordsOf(phrase: string): string[] {
  return readText(phrase)
    .clauses()
    .split(' ')
    .filter((word) => word !== '');
}

function trieOf(rules: Rule[]): Trie {
  const trie: Trie = { words: new Map(), next: new Map(), rules: new Map() };
  for (const rule of rules) {
    if (!('phrases' in rule)) continue;
    for (const words of wordsOfRules.get(rule) ?? rule.phrases.map(wordsOf))
      trie.rules.getOrInsertComputed(branchFor(trie, words), () => new Set()).add(rule);
  }
  return trie;
}

function branchFor({ words: numbers, next }: Trie, words: string[]): number {
  let branch = 0;
  for (const word of words) {
    const number = numbers.getOrInsertComputed(word, () => numbers.size);
    branch = next.getOrInsertComputed(branch * wordsMax + number, () => next.size + 1);
  }
  return branch;
}

function findPhrases(trie: Trie, clauses: string): Map<Rule, string> {
  const found = new Map<Rule, string>();
  // A text may repeat a phrase of many rules hundreds of times.
  const seen = new Set<number>();
  const words = clauses.split(' ');
  for (let start = 0; start < words.length; start++) {
    let end = start;
    for (let branch = nextOf(trie, 0, words[end]); branch; branch = nextOf(trie, branch, words[end])) {
      end += 1;
      const rules = trie.rules.get(branch);
      if (!rules || seen.has(branch)) continue;
      seen.add(branch);
      for (const rule of rules) if (!found.has(rule)) found.set(rule, words.slice(start, end).join(' '));
    }
  }
  return found;
}

function nextOf({ words, next }: Trie, branch: number, word: string | undefined): number | undefined {
  const number = words.get(word ?? '');
  return number === undefined ? undefined : next.get(branch * wordsMax + number);
}
