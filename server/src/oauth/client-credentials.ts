import type { KoaContextWithOIDC } from 'oidc-provider';
import { findProvisioned } from '../domain/access/grants.ts';
import { textScopes } from '../domain/access/scopes.ts';
import { errors } from './library.js';
import { currentRequest } from './request.ts';

const wholeNumber = /^(0|[1-9]\d{0,14})$/;

/** Without a scope, all of the application's text scopes; any other scope needs an advisor's permission. */
export function textScopesOnly(ctx: KoaContextWithOIDC): void {
  const { params, client } = ctx.oidc;
  if (!params || !client) throw new Error('The client is not known yet.');
  const provisioned = new Set(client.scope?.split(' '));
  params.scope ??= textScopes.filter((scope) => provisioned.has(scope)).join(' ');
  if (params.scope === '') throw new errors.InvalidScope('This application has no text scope.', textScopes.join(' '));
  for (const scope of ctx.oidc.requestParamScopes)
    if (!textScopes.some((each) => each === scope))
      throw new errors.InvalidScope(
        `Client credentials carry text scopes only (${textScopes.join(', ')}), not ${scope}.`,
        scope,
      );
}

/** The advisor in the form, or the only one that the application is provisioned for. */
export async function clientCredentialsClaims(ctx: KoaContextWithOIDC) {
  const { deps } = currentRequest();
  const advisorId = advisorIdOf(ctx.oidc.body?.advisor_id);
  const provisioned = await findProvisioned(deps, ctx.oidc.client?.clientId ?? '', advisorId);
  if (provisioned === 'several')
    throw new errors.InvalidRequest('The advisor_id is missing: this application is provisioned for several advisors.');
  if (provisioned === 'none') throw notProvisioned(advisorId);
  return { advisor_id: provisioned.advisorId, grant_id: provisioned.grantId };
}

function advisorIdOf(given: unknown): number | null {
  if (given === undefined || given === '') return null;
  if (typeof given !== 'string' || !wholeNumber.test(given))
    throw new errors.InvalidRequest('The advisor_id must be one whole number.');
  return Number(given);
}

function notProvisioned(advisorId: number | null) {
  const whom = advisorId === null ? 'any advisor' : `advisor ${advisorId}`;
  const description = `This application is not provisioned for ${whom}, or was disconnected: ask the operator.`;
  return Object.assign(new errors.InvalidGrant(description), { error_description: description });
}
