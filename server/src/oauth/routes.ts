/** The authorization server's paths, under the origin. */
export const authorizePath = '/oauth/authorize';
export const tokenPath = '/oauth/token';
export const revokePath = '/oauth/revoke';
export const jwksPath = '/oauth/jwks';
/** The pages where the advisor signs in and decides; http/advisor serves them. */
export const interactionPath = '/oauth/interaction';
export const discoveryPaths = ['/.well-known/openid-configuration', '/.well-known/oauth-authorization-server'];

/** Endpoints for clients, not browsers: they take the client's secret and answer in JSON. */
export function isClientEndpoint(path: string): boolean {
  return path === tokenPath || path === revokePath;
}
