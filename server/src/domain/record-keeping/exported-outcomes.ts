import type { Deps } from '../../deps.ts';
import type { ExportRow } from '../../store/record-keeping/archive-export.ts';
import { listOutcomeNumbers, listOutcomes } from '../../store/record-keeping/exported-outcomes.ts';
import { type Outcome, outcomeOf } from '../examiner/entries.mjs';

type Range = { advisorId: number; first: number; last: number };

const numbersPage = 100_000;

export async function* withOutcomes<Row extends ExportRow>(
  deps: Pick<Deps, 'db'>,
  range: Range,
  pages: AsyncGenerator<Row[]>,
): AsyncGenerator<(Row & { outcome: Outcome | null })[]> {
  const numbers = await lastOutcomes(deps, range);
  const numberOf = ({ kind, messageId }: Row) =>
    kind === 'text_out' && messageId ? numbers.get(messageId) : undefined;
  for await (const rows of pages) {
    const wanted = rows.flatMap((row) => numberOf(row) ?? []);
    const found = await listOutcomes(deps.db, range.advisorId, wanted);
    const outcomes = new Map(found.map((entry) => [entry.number, outcomeOf(entry)?.outcome ?? null]));
    yield rows.map((row) => ({ ...row, outcome: outcomes.get(numberOf(row) ?? 0) ?? null }));
  }
}

/** The number of the last outcome of each message. An outcome comes after its text, sometimes much later. */
async function lastOutcomes({ db }: Pick<Deps, 'db'>, { advisorId, first, last }: Range): Promise<Map<number, number>> {
  const numbers = new Map<number, number>();
  for (let after = first - 1; after < last; after += numbersPage) {
    const upTo = Math.min(last, after + numbersPage);
    for (const { messageId, number } of await listOutcomeNumbers(db, { advisorId, after, upTo }))
      numbers.set(messageId, number);
  }
  return numbers;
}
