import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { readReply } from '../../src/domain/consent/reading/reply-words.ts';

/**
 * Replies that mean stop, that may mean it, and that don't, one per line; \\n stands for a line break. Those in the files called
 * independent were written by somebody who didn't know how replies are read. Part of them is held out: nobody looks at
 * these lines while working on the phrases, so they show what the phrases do with wording that they were not made for.
 */
const files = {
  stops: ['stops', 'stops-independent'],
  possible: ['possible'],
  others: ['others', 'others-independent'],
};

type Part = 'tuned' | 'held out';
/** How many replies there are, and what share of them opts out at once or is held. */
type Figures = { replies: number; optedOut: number; optedOutOrHeld: number };

test('at least 90 % of the stops opt out at once, and 97 % at once or after a review', (t) => {
  const { optedOut, optedOutOrHeld } = measure('stops', (line) => t.diagnostic(line));
  assert.ok(optedOut >= 0.9, `${percent(optedOut)} opted out at once`);
  assert.ok(optedOutOrHeld >= 0.97, `${percent(optedOutOrHeld)} opted out at once or held`);
});

test('of replies that may mean stop, at least 95 % opt out or are held', () => {
  const { optedOutOrHeld } = measure('possible', () => {});
  assert.ok(optedOutOrHeld >= 0.95, `${percent(optedOutOrHeld)} opted out or held`);
});

test('of other replies at most 2 % opt out, and 10 % hold texts', (t) => {
  const { optedOut, optedOutOrHeld } = measure('others', (line) => t.diagnostic(line));
  assert.ok(optedOut <= 0.02, `${percent(optedOut)} opted out`);
  assert.ok(optedOutOrHeld - optedOut <= 0.1, `${percent(optedOutOrHeld - optedOut)} held`);
});

/** The figures of all replies; those of each part are reported. */
function measure(kind: keyof typeof files, report: (line: string) => void): Figures {
  const replies = files[kind].flatMap(readLines);
  for (const part of ['tuned', 'held out'] as const) {
    const figures = figuresOf(replies.filter((reply) => reply.part === part));
    const { optedOut, optedOutOrHeld } = figures;
    report(
      `${kind}, ${part}: ${figures.replies} replies, ${percent(optedOut)} opt out, ${percent(optedOutOrHeld)} with held`,
    );
  }
  return figuresOf(replies);
}

function readLines(file: string): { text: string; part: Part }[] {
  return readFileSync(new URL(`replies/${file}.txt`, import.meta.url), 'utf8')
    .split('\n')
    .filter((line) => line.trim() !== '')
    .map((line) => ({ text: line.replaceAll('\\n', '\n'), part: partOf(file, line) }));
}

/** A quarter, by the line's hash, so that nobody picks them. */
function partOf(file: string, line: string): Part {
  const [first = 0, second = 0] = createHash('sha256').update(line).digest();
  return file.endsWith('-independent') && first >= 128 && second >= 128 ? 'held out' : 'tuned';
}

function figuresOf(replies: { text: string }[]): Figures {
  const meanings = replies.map(({ text }) => readReply(text));
  const optedOut = meanings.filter((meaning) => meaning === 'opt_out' || meaning === 'opt_out_wording').length;
  const held = meanings.filter((meaning) => meaning === 'possible_opt_out').length;
  const count = replies.length;
  return { replies: count, optedOut: optedOut / count, optedOutOrHeld: (optedOut + held) / count };
}

function percent(share: number): string {
  return `${(share * 100).toFixed(1)} %`;
}
