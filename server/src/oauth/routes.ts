/** Where the authorization server is reached, under the origin. */
export const authorizePath = '/oauth/authorize';
export const tokenPath = '/oauth/token';
export const revokePath = '/oauth/revoke';
export const jwksPath = '/oauth/jwks';
/** The pages on which the advisor signs in and decides; http/advisor serves them. */
export const interactionPath = '/oauth/interaction';
export const discoveryPaths = ['/.well-known/openid-configuration', '/.well-known/oauth-authorization-server'];

/** Where clients, not browsers, come: with their secret, and answered in JSON. */
export function isClientEndpoint(path: string): boolean {
  return path === tokenPath || path === revokePath;
}
