import type { dryRun, get, trial } from '../../../../server/src/http/console/lexicon.ts';
import type { AnswerOf } from '../answers.ts';

export type Action = Rule['action'];
export type Detector = Lexicon['detectors'][number];
export type Rule = Lexicon['rules'][number];
export type Lexicon = AnswerOf<typeof get>;
export type DryRun = AnswerOf<typeof dryRun>;
export type Trial = AnswerOf<typeof trial>;

/** A rule while it is edited: a place in the list has a key of its own, also after a reload, and phrases are lines. */
export type Draft = { key: number; name: string; action: Action; looksFor: Detector | 'phrases'; phrases: string };

export const actionNames: Record<Action, string> = {
  flag: 'Flag: goes out, and is reviewed later',
  hold: 'Hold: waits for a reviewer',
  block: 'Block: never goes out',
};
export const outcomeNames: Record<Action | 'none', string> = {
  flag: 'flagged',
  hold: 'held',
  block: 'blocked',
  none: 'not found',
};
export const detectorNames: Record<Detector, string> = {
  card_number: 'Card numbers',
  social_security_number: 'Social-security numbers',
  promise_of_returns: 'Promises of returns',
  off_channel: 'Moves to another channel',
};

export function draftOf(rule: Rule): Draft {
  const looksFor = 'detector' in rule ? rule.detector : 'phrases';
  const phrases = 'phrases' in rule ? rule.phrases.join('\n') : '';
  return { key: Math.random(), name: rule.name, action: rule.action, looksFor, phrases };
}

export function newDraft(): Draft {
  return { key: Math.random(), name: '', action: 'hold', looksFor: 'phrases', phrases: '' };
}

/** What is edited, and the version that it is based on. */
export type KeptDrafts = { version: number; drafts: Draft[] };

export function rulesOf(drafts: Draft[]): Rule[] {
  return drafts.map(({ name, action, looksFor, phrases }) => {
    const common = { name: name.trim(), action };
    if (looksFor !== 'phrases') return { ...common, detector: looksFor };
    const lines = phrases.split('\n').map((line) => line.trim());
    return { ...common, phrases: lines.filter((line) => line !== '') };
  });
}

/** Which rule a refusal is about, from 1. */
export function ruleIn(message: string): number | null {
  const [, number] = /\brule (\d+)\b/.exec(message) ?? [];
  return number ? Number(number) : null;
}
