import type { Static } from 'typebox';
import type { Deps } from '../../deps.ts';
import { allScopes } from '../../domain/access/scopes.ts';
import { getAccount } from '../../domain/accounts/advisors.ts';
import type { By } from '../../domain/archive/archive.ts';
import type { Account } from '../../schemas/accounts/account.ts';

export async function get(
  deps: Deps,
  advisorId: number,
  _input: object,
  _by: By,
  scopes: ReadonlySet<string>,
): Promise<Static<typeof Account>> {
  return { ...(await getAccount(deps, advisorId)), scopes: allScopes.filter((scope) => scopes.has(scope)) };
}
