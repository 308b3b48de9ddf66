import type { AdapterPayload } from 'oidc-provider';
import type { Application } from '../domain/access/applications.ts';
import { type Environment, matchesHash, readSecret } from '../domain/shared/secrets.ts';
import { errors, type Provider } from './library.js';
import { isClientEndpoint } from './routes.ts';

/** An application as the library has it. Of the secret only the hash is known, and compared. */
export function clientMetadata({ clientId, name, secretHash, redirectUris, scopes }: Application): AdapterPayload {
  const code = redirectUris.length > 0;
  return {
    client_id: clientId,
    client_name: name,
    client_secret: secretHash.toString('hex'),
    redirect_uris: redirectUris,
    scope: scopes.join(' '),
    // Of a web application a redirect URI matches to the letter; of a native one any port would.
    application_type: 'web',
    response_types: code ? ['code'] : [],
    grant_types: [...(code ? ['authorization_code', 'refresh_token'] : []), 'client_credentials'],
    token_endpoint_auth_method: 'client_secret_post',
  };
}

export function compareSecretsByHash(provider: Provider, environment: Environment): void {
  provider.Client.prototype.compareClientSecret = function (given: string) {
    if (readSecret('clientSecret', environment, given) === 'other_environment')
      throw wrongClient(`The client_secret is of another environment: this is the ${environment} environment.`);
    return matchesHash(given, Buffer.from(this.clientSecret ?? '', 'hex'));
  };
}

/** A client id of the other environment is told from an unknown one: the prefix gives it away. */
export function refuseOtherEnvironment(clientId: string, environment: Environment, path: string): void {
  if (readSecret('clientId', environment, clientId) !== 'other_environment') return;
  const description = `The client_id is of another environment: this is the ${environment} environment.`;
  throw isClientEndpoint(path) ? wrongClient(description) : new errors.InvalidClient(description);
}

/** 401, as for every client that can't be recognised, in words of ours. */
export function wrongClient(description: string) {
  return Object.assign(new errors.InvalidClientAuth(description), { error_description: description });
}
