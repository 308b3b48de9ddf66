import { allScopes, type Scope, scopes, textScopes } from '../../domain/access/scopes.ts';
import { authorizePath, tokenPath } from '../../oauth/routes.ts';

export const apiKey = {
  type: 'apiKey',
  in: 'header',
  name: 'x-api-key',
  description: 'The key of your application’s usage plan.',
};

/** Where access tokens come from. */
export function oauth2(publicUrl: string): object {
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
