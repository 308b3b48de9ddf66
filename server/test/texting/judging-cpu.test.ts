import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import { readReply } from '../../src/domain/consent/reading/reply-words.ts';
import { textLengthMax } from '../../src/domain/shared/text/text-rules.ts';
import { cpuMsOf, onceMs } from '../support/cpu.ts';
import { hostile, judgments } from './judgments.ts';

const replyMsMax = 10;

suite('however a text expands, it takes at most six times the CPU of a usual reply as long', () => {
  const usual =
    `Thanks so much for the note. I will be at the office on Tuesday at 3, and we can talk about the 401k then. `
      .repeat(20)
      .slice(0, textLengthMax);
  for (let turn = 0; turn < 20; turn++) for (const judge of Object.values(judgments)) judge(`${usual}${turn}`);
  const { usualMs } = cpuMsOf({ usualMs: () => readReply(usual) });

  for (const [about, judge] of Object.entries(judgments))
    test(about, () => {
      for (const [what, piece] of Object.entries(hostile)) {
        const longest = [...piece.repeat(textLengthMax)].slice(0, textLengthMax).join('');
        assertCheap(() => judge(longest), what);
      }
    });

  test('a reply that no text of ours could be', () => {
    for (const [what, piece] of Object.entries(hostile)) {
      const long = piece.repeat(70_000 / piece.length);
      assertCheap(() => readReply(long), what);
      assertCheap(() => judgments['a text by our lexicon']?.(long), what);
    }
  });

  test('no reply takes more than 10 ms', () => {
    for (const [what, piece] of Object.entries(hostile)) {
      const longest = [...piece.repeat(textLengthMax)].slice(0, textLengthMax).join('');
      if (onceMs(() => readReply(longest)) <= replyMsMax) continue;
      const { took } = cpuMsOf({ took: () => readReply(longest) });
      assert.ok(took <= replyMsMax, `${what}: ${took.toFixed(2)} ms`);
    }
  });

  /** A run that takes half of what is allowed is proof enough; others are measured beside a usual reply, several times. */
  function assertCheap(run: () => unknown, what: string): void {
    if (onceMs(run) <= 3 * usualMs) return;
    const { took, control } = cpuMsOf({ took: run, control: () => readReply(usual) });
    assert.ok(took <= 6 * control, `${what}: ${took.toFixed(2)} ms, and a usual reply takes ${control.toFixed(2)} ms`);
  }
});
