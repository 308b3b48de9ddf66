import * as keys from '../../domain/access/api-keys.ts';
import { listSigningKeys, replaceSigningKeys, rotateSigningKeys } from '../../domain/access/signing-keys.ts';
import { Id } from '../../schemas/shared/strings.ts';
import { Type } from '../../schemas/shared/type.ts';
import { ApplicationParams } from './applications.ts';
import { operatorEndpoint } from './endpoint.ts';

const limit = () => Type.Unsafe<number | null>({ type: ['integer', 'null'], minimum: 1 });
const ApiKeyParams = Type.Object({ keyId: Id() });
/** Null is no limit. */
const PlanInput = Type.Object({ ratePerSecond: limit(), burst: limit(), dailyQuota: limit() });
const SigningKeysInput = Type.Object({ leaked: Type.Boolean() });

export const list = operatorEndpoint({
  handler: async (deps) => ({ data: await keys.listApiKeys(deps), defaultPlan: keys.defaultPlan }),
});

export const issue = operatorEndpoint({
  isFresh: true,
  params: ApplicationParams,
  body: PlanInput,
  handler: (deps, _, { params, body }, by) => keys.issueApiKey(deps, params.clientId, body, by),
});

export const setPlan = operatorEndpoint({
  params: ApiKeyParams,
  body: PlanInput,
  handler: (deps, _, { params, body }, by) => keys.setApiKeyPlan(deps, params.keyId, body, by),
});

export const revoke = operatorEndpoint({
  params: ApiKeyParams,
  handler: (deps, _, { params }, by) => keys.revokeApiKey(deps, params.keyId, by),
});

export const signingKeys = operatorEndpoint({
  async handler(deps) {
    const listed = await listSigningKeys(deps);
    return {
      data: listed.map(({ kid, use, dateTimeCreated, dateTimeSigns }) => ({
        kid,
        use,
        dateTimeCreated,
        dateTimeSigns,
      })),
    };
  },
});

export const rotateSigning = operatorEndpoint({
  isFresh: true,
  body: SigningKeysInput,
  async handler(deps, _, { body: { leaked } }, by) {
    await (leaked ? replaceSigningKeys : rotateSigningKeys)(deps, by);
  },
});
