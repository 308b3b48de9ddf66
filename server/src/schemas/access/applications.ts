import { Id, stringLengthMax } from '../shared/strings.ts';
import { Type } from '../shared/type.ts';

const { Optional } = Type;
const text = () => Type.String({ minLength: 1, maxLength: stringLengthMax });
const uris = Type.Array(text(), { maxItems: 10 });
const scopes = Type.Array(text(), { minItems: 1, maxItems: 20 });

/** What an operator gives for an application; the domain checks each of them. */
export const ApplicationParams = Type.Object({ clientId: text() });
export const ApplicationInput = Type.Object({
  name: text(),
  redirectUris: uris,
  scopes: Optional(scopes),
});
export const ApplicationChange = Type.Object({
  redirectUris: Optional(uris),
  scopes: Optional(scopes),
});
export const ProvisionParams = Type.Object({ clientId: text(), advisorId: Id() });
export const DisconnectInput = Type.Object({ advisorId: Optional(Id()) });

const limit = () => Type.Unsafe<number | null>({ type: ['integer', 'null'], minimum: 1 });
export const ApiKeyParams = Type.Object({ keyId: Id() });
/** Null is no limit. */
export const PlanInput = Type.Object({ ratePerSecond: limit(), burst: limit(), dailyQuota: limit() });
export const SigningKeysInput = Type.Object({ leaked: Type.Boolean() });
