import { allScopes, type Scope, scopes, textScopes } from '../../domain/access/scopes.ts';
import { authorizePath, tokenPath } from '../../oauth/routes.ts';

export const apiKey = {
  type: 'apiKey',
  in: 'header',
  name: 'x-api-key',
  description: 'The key of your application’s usage plan.',
};

/** Where access tokens come from. With a provider of the operator’s own, its metadata says what our flows say. */
export function oauth2({ publicUrl, oauthIssuer }: { publicUrl: string; oauthIssuer: string }): object {
  if (oauthIssuer)
    return {
      type: 'openIdConnect',
      openIdConnectUrl: `${oauthIssuer.replace(/\/$/, '')}/.well-known/openid-configuration`,
      description: 'The access token of an advisor who has allowed your application, from the operator’s provider.',
    };
  const tokenUrl = `${publicUrl}${tokenPath}`;
  return {
    type: 'oauth2',
    description: 'The access token of an advisor who has allowed your application.',
    flows: {
      authorizationCode: {
        authorizationUrl: `${publicUrl}${authorizePath}`,
        tokenUrl,
        refreshUrl: tokenUrl,
        scopes: described(allScopes),
      },
      clientCredentials: { tokenUrl, scopes: described(textScopes) },
    },
  };
}

function described(names: Scope[]): Record<string, string> {
  return Object.fromEntries(names.map((name) => [name, scopes[name]]));
}
