import * as applications from '../../domain/access/applications.ts';
import { disconnect, listProvisions, provision, unprovision } from '../../domain/access/grants.ts';
import { scopes } from '../../domain/access/scopes.ts';
import { getAdvisor } from '../../domain/accounts/advisors.ts';
import { Id, stringLengthMax } from '../../schemas/shared/strings.ts';
import { Type } from '../../schemas/shared/type.ts';
import { operatorEndpoint } from './endpoint.ts';

const { Optional } = Type;
const text = () => Type.String({ minLength: 1, maxLength: stringLengthMax });
const uris = Type.Array(text(), { maxItems: 10 });
const scopeNames = Type.Array(text(), { minItems: 1, maxItems: 20 });

/** What an operator gives for an application; the domain checks each of them. */
export const ApplicationParams = Type.Object({ clientId: text() });
const ApplicationInput = Type.Object({
  name: text(),
  redirectUris: uris,
  scopes: Optional(scopeNames),
});
const ApplicationChange = Type.Object({
  redirectUris: Optional(uris),
  scopes: Optional(scopeNames),
});
const ProvisionParams = Type.Object({ clientId: text(), advisorId: Id() });
const DisconnectInput = Type.Object({ advisorId: Optional(Id()) });

/** With the scopes that there are, in the contract's words. */
export const list = operatorEndpoint({
  handler: async (deps) => ({ data: (await applications.listApplications(deps)).map(shown), scopes }),
});

export const add = operatorEndpoint({
  isFresh: true,
  body: ApplicationInput,
  async handler(deps, _, { body }, by) {
    const { application, clientSecret } = await applications.addApplication(deps, body, by);
    return { clientId: application.clientId, clientSecret };
  },
});

/** Scopes, and where codes are sent. */
export const set = operatorEndpoint({
  isFresh: true,
  params: ApplicationParams,
  body: ApplicationChange,
  async handler(deps, _, { params: { clientId }, body }, by) {
    await applications.setApplication(deps, clientId, body, by);
    return shown(await applications.getApplication(deps, clientId));
  },
});

export const rotate = operatorEndpoint({
  isFresh: true,
  params: ApplicationParams,
  handler: async (deps, _, { params }, by) => ({
    clientSecret: await applications.rotateSecret(deps, params.clientId, by),
  }),
});

export const disable = operatorEndpoint({
  params: ApplicationParams,
  handler: (deps, _, { params }, by) => applications.disableApplication(deps, params.clientId, by),
});

export const disconnectAll = operatorEndpoint({
  params: ApplicationParams,
  body: DisconnectInput,
  handler: async (deps, _, { params, body: { advisorId = null } }, by) => ({
    ended: await disconnect(deps, params.clientId, advisorId, by),
  }),
});

export const provisions = operatorEndpoint({
  params: ApplicationParams,
  handler: async (deps, _, { params }) => ({ data: await listProvisions(deps, params.clientId) }),
});

export const addProvision = operatorEndpoint({
  isFresh: true,
  params: ProvisionParams,
  async handler(deps, _, { params }, by) {
    const { advisorId } = await getAdvisor(deps, String(params.advisorId));
    await provision(deps, advisorId, params.clientId, by);
  },
});

export const removeProvision = operatorEndpoint({
  params: ProvisionParams,
  handler: (deps, _, { params }, by) => unprovision(deps, params.advisorId, params.clientId, by),
});

function shown({ secretHash: _, ...application }: applications.Application) {
  return application;
}
