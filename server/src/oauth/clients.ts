import type { AdapterPayload } from 'oidc-provider';
import type { Application } from '../domain/access/applications.ts';
import { type Environment, matchesHash, readSecret } from '../domain/shared/secrets.ts';
import { errors, type Provider } from './library.js';
import { isClientEndpoint } from './routes.ts';

/** An application as the library sees it. We know only the secret's hash, and compare that. */
export function clientMetadata({ clientId, name, secretHash, redirectUris, scopes }: Application): AdapterPayload {
  const code = redirectUris.length > 0;
  return {
    client_id: clientId,
    client_name: name,
    client_secret: secretHash.toString('hex'),
    redirect_uris: redirectUris,
    scope: scopes.join(' '),
    // A web application's redirect URI must match exactly; a native one's could have any port.
    application_type: 'web',
    response_types: code ? ['code'] : [],
    grant_types: [...(code ? ['authorization_code', 'refresh_token'] : []), 'client_credentials'],
    // The library accepts Basic from it as well.
    token_endpoint_auth_method: 'client_secret_post',
  };
}

export function compareSecretsByHash(provider: Provider, environment: Environment): void {
  provider.Client.prototype.compareClientSecret = function (given: string) {
    if (readSecret('clientSecret', environment, given) === 'other_environment')
      throw wrongClient(`The client_secret is for a different environment: this is the ${environment} environment.`);
    return matchesHash(given, Buffer.from(this.clientSecret ?? '', 'hex'));
  };
}

/** A client id for the other environment gets its own error: its prefix shows it. */
export function refuseOtherEnvironment(clientId: string, environment: Environment, path: string): void {
  if (readSecret('clientId', environment, clientId) !== 'other_environment') return;
  const description = `The client_id is for a different environment: this is the ${environment} environment.`;
  throw isClientEndpoint(path) ? wrongClient(description) : new errors.InvalidClient(description);
}

/** 401, as for every client that can't be authenticated, in our own words. */
function wrongClient(description: string) {
  return Object.assign(new errors.InvalidClientAuth(description), { error_description: description });
}
