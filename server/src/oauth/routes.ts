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

/** The header of a 401 for a client that used the Authorization header. Libraries show this instead of the body. */
export function basicChallenge(error: string, description: string): string {
  return `Basic realm="Assent", error="${error}", error_description="${description}"`;
}
