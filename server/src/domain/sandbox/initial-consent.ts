import { type Deps, inTransaction } from '../../deps.ts';
import { lockMembers } from '../../store/members/members.ts';
import { byOperator } from '../archive/archive.ts';
import { moveConsent } from '../consent/consents.ts';
import { knowNumbers } from '../members/known-numbers.ts';

/** Sets the states that the sandbox's numbers start with. A number whose consent has already changed stays as it is. */
export async function setInitialConsent(
  deps: Deps,
  advisorId: number,
  phones: string[],
  to: 'accepted' | 'opted_out',
): Promise<void> {
  await inTransaction(deps, async (deps) => {
    const act = { advisorId, by: byOperator, now: deps.clock.now() };
    const numbers = phones.map((phone) => ({ advisorId, phone }));
    await knowNumbers(deps, numbers);
    for (const member of await lockMembers(deps.db, advisorId, phones)) {
      if (member.state !== 'none' || member.consentRequests > 0) continue;
      await moveConsent(deps, act, { member, to, reason: 'sandbox', channel: 'sandbox' });
    }
  });
}
