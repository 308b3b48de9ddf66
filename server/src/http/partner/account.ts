import type { Static } from 'typebox';
import { allScopes, type Scope } from '../../domain/access/scopes.ts';
import { getAccount, quietHoursPolicies } from '../../domain/accounts/advisors.ts';
import { Id } from '../../schemas/shared/strings.ts';
import { Type } from '../../schemas/shared/type.ts';
import { endpoint } from '../door/route.ts';

const environments = ['sandbox', 'production'] as const;

const Account = Type.Object(
  {
    advisorId: Id({ description: 'The `advisor_id` of client credentials.' }),
    name: Type.String({ description: 'The advisor’s name.' }),
    firmName: Type.String(),
    textingNumber: Type.Union([Type.String(), Type.Null()], {
      description: 'The number that texts come from, in E.164. Null if there is none: then nothing can be sent.',
    }),
    timeZone: Type.String({ description: 'The advisor’s IANA time zone, in which schedules repeat.' }),
    consentRequired: Type.Boolean({ description: 'Whether texts go only to people who have accepted.' }),
    consentCollection: Type.Boolean({ description: 'Whether consent requests can be sent.' }),
    quietHours: Type.Unsafe<(typeof quietHoursPolicies)[number]>({
      type: 'string',
      enum: quietHoursPolicies,
      description: 'Whether texts at night go out, are deferred until the recipient’s morning, or are refused.',
    }),
    environment: Type.Unsafe<(typeof environments)[number]>({ type: 'string', enum: environments }),
    scopes: Type.Array(Type.Unsafe<Scope>({ title: 'Scope', type: 'string', enum: allScopes }), {
      description: 'The scopes of this access token.',
    }),
  },
  {
    title: 'Account',
    examples: [
      {
        advisorId: 1001,
        name: 'Avery Quinn',
        firmName: 'Sandbox Wealth Partners',
        textingNumber: '+15005551001',
        timeZone: 'America/New_York',
        consentRequired: true,
        consentCollection: true,
        quietHours: 'off',
        environment: 'sandbox',
        scopes: ['core.contacts.read', 'text.messaging.read', 'text.messaging.write'],
      },
    ],
  },
);

export const get = endpoint({
  summary: 'Get account',
  description: 'The advisor that the access token acts for, their settings for texting, and the token’s scopes.',
  response: Account,
  problems: [],
  async handler(deps, advisorId, _input, _by, scopes): Promise<Static<typeof Account>> {
    return { ...(await getAccount(deps, advisorId)), scopes: allScopes.filter((scope) => scopes.has(scope)) };
  },
});
