import type { Deps } from '../../deps.ts';
import { hasEntries, type TimesOf } from '../../store/archive/explanations.ts';
import { explained } from '../examiner/times.mjs';
import { invalid, problem } from '../problems.ts';
import { isBlank } from '../shared/text/text-rules.ts';
import { archive, type By, deployment } from './archive.ts';

/**
 * Says why the times of some entries are wrong. Verifications go on to find them, and name this entry beside them; nothing else that they
 * find can be explained.
 */
export async function explainTimes(
  deps: Deps,
  { reason, ...of }: TimesOf & { reason: string },
  by: By,
): Promise<{ number: number }> {
  if (of.from > of.to) throw invalid([{ path: '/to', rule: 'minimum', message: 'to must not be before from.' }]);
  if (isBlank(reason)) throw problem('invalid_request', 'A reason is needed: why the times are wrong.');
  if (!(await hasEntries(deps.db, of))) throw problem('not_found', 'The advisor has no such entries.');
  const about = { advisorId: deployment, kind: 'setting', memberId: null } as const;
  const number = await archive(deps, by, { ...about, meta: { what: explained, of }, body: JSON.stringify({ reason }) });
  return { number };
}
