import fc, { type Arbitrary } from 'fast-check';
import { optOutVocabulary } from '../src/domain/consent/reading/opt-out-vocabulary.ts';
import { textLengthMax } from '../src/domain/shared/text/text-rules.ts';
import { hostile, judgments } from '../test/texting/judgments.ts';
import { anyText, oddCharacters } from './values.ts';

/** The server's own CPU for a text, reply or search. */
export const judgmentMsMax = 10;
/** A collection of garbage or a busy machine makes one turn longer; no turn is shorter than the work. */
const turnsMax = 8;
/** More than any carrier brings. */
const replyLengthMax = 70_000;

/** Measures all that is done with a text, for texts that may take long. Returns the first that takes too long, if any. */
export function fuzzJudgments(texts: number, seed: number): string | undefined {
  for (let turn = 0; turn < 20; turn++) for (const judge of Object.values(judgments)) judge(`Warming up, ${turn}`);
  const property = fc.property(longText(), (text) => {
    for (const [about, judge] of Object.entries(judgments)) {
      const ms = leastMs(() => judge(text));
      if (ms > judgmentMsMax)
        throw new Error(`${ms.toFixed(1)} ms for ${about}: ${JSON.stringify(text).slice(0, 400)}`);
    }
  });
  const result = fc.check(property, { seed, numRuns: texts });
  return result.failed ? String(result.errorInstance) : undefined;
}

/** Measures again until it is within the limit. */
function leastMs(run: () => unknown): number {
  let least = Number.POSITIVE_INFINITY;
  for (let turn = 0; turn < turnsMax && least > judgmentMsMax; turn++) {
    const start = process.cpuUsage();
    run();
    const { user, system } = process.cpuUsage(start);
    least = Math.min(least, (user + system) / 1_000);
  }
  return least;
}

/** A few pieces, repeated in any order up to the longest text; sometimes up to the longest reply. */
function longText(): Arbitrary<string> {
  const words = [
    ...new Set(
      Object.values(optOutVocabulary)
        .join(' ')
        .match(/[a-z]+/g),
    ),
  ];
  const piece = fc.oneof(
    fc.constantFrom(...Object.values(hostile), ...oddCharacters),
    fc.tuple(fc.constantFrom(...words), fc.constantFrom(' ', ', ', '. ', '\n', '-', '')).map((parts) => parts.join('')),
    fc.constantFrom('STOP ', '"', '“', '> ', '--\n', 'reply stop to ', '$', '|', '(', ')', '.', '%', "'", '\t'),
    anyText(1, 3),
  );
  const length = fc.oneof(
    { weight: 9, arbitrary: fc.constant(textLengthMax) },
    { weight: 1, arbitrary: fc.constant(replyLengthMax) },
  );
  return fc
    .tuple(
      fc.array(piece, { minLength: 1, maxLength: 8 }),
      fc.array(fc.nat(7), { minLength: 1, maxLength: 40 }),
      length,
    )
    .map(([pieces, order, length]) => {
      const part = order.map((index) => pieces[index % pieces.length]).join('');
      return [...part.repeat(Math.ceil(length / [...part].length))].slice(0, length).join('');
    });
}
