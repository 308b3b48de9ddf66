import * as oauth from 'oauth4webapi';
import * as openid from 'openid-client';

/** Which of the two well-known documents a client reads. */
export type Document = 'oidc' | 'oauth2';
export type ClientSecrets = { clientId: string; clientSecret: string };
export type TokenAnswer = {
  access_token: string;
  refresh_token?: string;
  id_token?: string;
  scope?: string;
  expires_in?: number;
  claims: { sub: string; nonce?: unknown; aud: string | string[]; [claim: string]: unknown } | undefined;
};

/** A partner's application on a third-party OAuth library, unmodified. */
export type LibraryClient = {
  metadata: openid.ServerMetadata;
  /** Begins an authorization, and finishes it with the URL that the browser came back to. */
  authorize(redirectUri: string, scope: string): Promise<{ url: URL; finish(back: URL): Promise<TokenAnswer> }>;
  refresh(refreshToken: string): Promise<TokenAnswer>;
  clientCredentials(parameters: Record<string, string>): Promise<TokenAnswer>;
  revoke(token: string): Promise<void>;
};
export type Library = {
  name: string;
  /** Discovers the server, whose issuer must be that address. Plain http is allowed, because it is this machine. */
  connect(issuer: string, secrets: ClientSecrets, document?: Document): Promise<LibraryClient>;
};

/** Both libraries have these error classes, under the same names. */
export const { AuthorizationResponseError, ResponseBodyError, WWWAuthenticateChallengeError } = oauth;

/** How the client proves who it is: in the form, or in the Authorization header. */
type Authentication = 'form' | 'basic';

export const openidClient = (way: Authentication): Library => ({
  name: `openid-client by ${way}`,
  async connect(issuer, { clientId, clientSecret }, algorithm = 'oidc') {
    const authentication = (way === 'basic' ? openid.ClientSecretBasic : openid.ClientSecretPost)(clientSecret);
    const config = await openid.discovery(new URL(issuer), clientId, undefined, authentication, {
      algorithm,
      execute: [openid.allowInsecureRequests, openid.enableNonRepudiationChecks],
    });
    const withClaims = (answer: openid.TokenEndpointResponse & openid.TokenEndpointResponseHelpers): TokenAnswer => ({
      ...answer,
      claims: answer.claims(),
    });
    return {
      metadata: config.serverMetadata(),
      async authorize(redirectUri, scope) {
        const pkceCodeVerifier = openid.randomPKCECodeVerifier();
        const [expectedState, expectedNonce] = [openid.randomState(), openid.randomNonce()];
        const url = openid.buildAuthorizationUrl(config, {
          redirect_uri: redirectUri,
          scope,
          code_challenge: await openid.calculatePKCECodeChallenge(pkceCodeVerifier),
          code_challenge_method: 'S256',
          state: expectedState,
          nonce: expectedNonce,
        });
        const checks = { pkceCodeVerifier, expectedState, expectedNonce };
        return { url, finish: async (back) => withClaims(await openid.authorizationCodeGrant(config, back, checks)) };
      },
      refresh: async (refreshToken) => withClaims(await openid.refreshTokenGrant(config, refreshToken)),
      clientCredentials: async (parameters) => withClaims(await openid.clientCredentialsGrant(config, parameters)),
      revoke: (token) => openid.tokenRevocation(config, token),
    };
  },
});

export const oauth4webapi = (way: Authentication): Library => ({
  name: `oauth4webapi by ${way}`,
  async connect(issuer, { clientId, clientSecret }, algorithm = 'oidc') {
    const insecure = { [oauth.allowInsecureRequests]: true };
    const found = await oauth.discoveryRequest(new URL(issuer), { algorithm, ...insecure });
    const server = await oauth.processDiscoveryResponse(new URL(issuer), found);
    const client: oauth.Client = { client_id: clientId };
    const authentication = (way === 'basic' ? oauth.ClientSecretBasic : oauth.ClientSecretPost)(clientSecret);
    const withClaims = (answer: oauth.TokenEndpointResponse): TokenAnswer => ({
      ...answer,
      claims: oauth.getValidatedIdTokenClaims(answer),
    });
    return {
      metadata: server,
      async authorize(redirectUri, scope) {
        const verifier = oauth.generateRandomCodeVerifier();
        const [state, nonce] = [oauth.generateRandomState(), oauth.generateRandomNonce()];
        const url = new URL(server.authorization_endpoint ?? '');
        url.search = new URLSearchParams({
          response_type: 'code',
          client_id: clientId,
          redirect_uri: redirectUri,
          scope,
          code_challenge: await oauth.calculatePKCECodeChallenge(verifier),
          code_challenge_method: 'S256',
          state,
          nonce,
        }).toString();
        const finish = async (back: URL) => {
          const callback = oauth.validateAuthResponse(server, client, back, state);
          const response = await oauth.authorizationCodeGrantRequest(
            server,
            client,
            authentication,
            callback,
            redirectUri,
            verifier,
            insecure,
          );
          const answer = await oauth.processAuthorizationCodeResponse(server, client, response, {
            expectedNonce: nonce,
            requireIdToken: true,
          });
          await oauth.validateApplicationLevelSignature(server, response, insecure);
          return withClaims(answer);
        };
        return { url, finish };
      },
      async refresh(refreshToken) {
        const response = await oauth.refreshTokenGrantRequest(server, client, authentication, refreshToken, insecure);
        const answer = await oauth.processRefreshTokenResponse(server, client, response);
        await oauth.validateApplicationLevelSignature(server, response, insecure);
        return withClaims(answer);
      },
      async clientCredentials(parameters) {
        const request = oauth.clientCredentialsGrantRequest(server, client, authentication, parameters, insecure);
        return withClaims(await oauth.processClientCredentialsResponse(server, client, await request));
      },
      async revoke(token) {
        const response = await oauth.revocationRequest(server, client, authentication, token, insecure);
        await oauth.processRevocationResponse(response);
      },
    };
  },
});

/** Verifies an access token like a third-party resource server: with the published keys. */
export async function validateAccessToken(
  metadata: openid.ServerMetadata,
  accessToken: string,
  audience: string,
): Promise<oauth.JWTAccessTokenClaims> {
  const request = new Request(audience, { headers: { authorization: `Bearer ${accessToken}` } });
  return oauth.validateJwtAccessToken(metadata as oauth.AuthorizationServer, request, audience, {
    [oauth.allowInsecureRequests]: true,
    signingAlgorithms: ['ES256'],
  });
}
