import type { Static } from 'typebox';
import { allScopes } from '../../domain/access/scopes.ts';
import { getAccount } from '../../domain/accounts/advisors.ts';
import { Account } from '../../schemas/accounts/account.ts';
import { endpoint } from '../door/route.ts';

export const get = endpoint({
  summary: 'Get account',
  description: 'The advisor that the access token acts for, their settings for texting, and the token’s scopes.',
  response: Account,
  problems: [],
  async handler(deps, advisorId, _input, _by, scopes): Promise<Static<typeof Account>> {
    return { ...(await getAccount(deps, advisorId)), scopes: allScopes.filter((scope) => scopes.has(scope)) };
  },
});
