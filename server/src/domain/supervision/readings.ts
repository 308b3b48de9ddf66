import { clausesOf, plainOf } from '../shared/text/phrases.ts';
import { endsOf } from '../shared/text/text-rules.ts';
import { plainWithDigits } from './private-numbers.ts';

/**
 * A text as rules compare it; of a person's reply that is longer than any text of ours, its beginning and its end, since its review
 * as one that may mean stop shows all of it. Its clauses are worked out on demand, since few texts have anything
 * that needs them.
 */
export type Reading = { plain: string; digits(): string; clauses(): string };

export function readText(text: string): Reading {
  const written = endsOf(text);
  const plain = plainOf(written);
  let clauses: string | undefined;
  return {
    plain,
    digits: () => (foreignDigit.test(written) ? plainWithDigits(written) : plain),
    clauses: () => {
      clauses ??= clausesOf(plain, endsClause);
      return clauses;
    },
  };
}

const foreignDigit = /(?!\d)\p{Nd}/u;

/** A dash, punctuation with white space, or an empty line. Punctuation inside a word is a space: "risk-free" is "risk free". */
function endsClause(gap: string): boolean {
  return /[—–―]/.test(gap) || (/[.,;:!?()]/.test(gap) && /\s/.test(gap)) || /\n[ \t\r]*\n/.test(gap);
}
