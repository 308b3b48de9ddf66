import { randomUUID } from 'node:crypto';
import { createServer, type IncomingMessage, type RequestListener, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { exportJWK, generateKeyPair, type JWK, type JWTHeaderParameters, type JWTPayload, SignJWT } from 'jose';
import type { Config } from '../../src/config.ts';
import { allScopes } from '../../src/domain/access/scopes.ts';
import { Provider } from '../../src/oauth/library.js';

export const audience = 'https://api.example.com/v1';
export const metadataPath = '/.well-known/openid-configuration';
export const keysPath = '/keys';

export type ProviderKey = { privateKey: CryptoKey; publicJwk: JWK; alg: string };
export type Answers = (request: IncomingMessage, response: ServerResponse) => void;

/** A small identity provider that can lie: the test decides what it publishes, signs and answers. */
export type SmallProvider = {
  issuer: string;
  /** Its published metadata and keys. */
  metadata: Record<string, unknown>;
  keys: JWK[];
  /** The test's own answers, by path. */
  answers: Map<string, Answers>;
  /** The paths it was asked for. */
  asked: string[];
  /** Makes a key and publishes it. */
  addKey(alg?: string, jwk?: Partial<JWK>): Promise<ProviderKey>;
  withdraw(key: ProviderKey): void;
  goDown(): Promise<void>;
  comeBack(): Promise<void>;
  close(): Promise<void>;
};

export async function startSmallProvider(path = ''): Promise<SmallProvider> {
  const asked: string[] = [];
  const answers = new Map<string, Answers>();
  const keys: JWK[] = [];
  const metadata: Record<string, unknown> = {};
  let server = await listening(answer);
  const { port } = server.address() as AddressInfo;
  const origin = `http://127.0.0.1:${port}`;
  const issuer = `${origin}${path}`;
  Object.assign(metadata, {
    issuer,
    jwks_uri: `${origin}${keysPath}`,
    authorization_endpoint: `${origin}/authorize`,
    token_endpoint: `${origin}/token`,
  });
  answers.set(
    `${path.replace(/\/$/, '')}${metadataPath}`,
    json(() => metadata),
  );
  answers.set(
    keysPath,
    json(() => ({ keys })),
  );

  function answer(request: IncomingMessage, response: ServerResponse): void {
    asked.push(request.url ?? '');
    const own = answers.get(request.url ?? '');
    if (own) own(request, response);
    else response.writeHead(404).end();
  }

  return {
    issuer,
    metadata,
    keys,
    answers,
    asked,
    async addKey(alg = 'ES256', jwk = {}) {
      const { privateKey, publicKey } = await generateKeyPair(alg);
      const publicJwk = {
        ...(await exportJWK(publicKey)),
        kid: randomUUID(),
        use: 'sig',
        ...jwk,
      };
      keys.push(publicJwk);
      return { privateKey, publicJwk, alg };
    },
    withdraw: ({ publicJwk }) => void keys.splice(keys.indexOf(publicJwk), 1),
    goDown: () => closed(server),
    async comeBack() {
      server = await listening(answer, port);
    },
    close: () => closed(server),
  };
}

export function json(value: () => unknown): Answers {
  return (_request, response) => {
    response.setHeader('content-type', 'application/json');
    response.end(JSON.stringify(value()));
  };
}

export function text(body: string): Answers {
  return (_request, response) => void response.end(body);
}

export function refusing(status: number): Answers {
  return (_request, response) => void response.writeHead(status, { location: '/elsewhere' }).end();
}

/** White space is valid JSON of any length. */
export const endless: Answers = (_request, response) => {
  const more = () => {
    while (!response.destroyed && response.write(' '.repeat(65_536)));
  };
  response.on('drain', more);
  more();
};

/** A token that the API accepts, claim by claim and header by header, with the test's changes. */
export async function signed(
  provider: SmallProvider,
  { privateKey, publicJwk, alg }: ProviderKey,
  claims: JWTPayload,
  header: Partial<JWTHeaderParameters> = {},
): Promise<string> {
  const now = Math.floor(Date.now() / 1000);
  const right = { iss: provider.issuer, aud: audience, iat: now, exp: now + 60, scope: allScopes.join(' ') };
  return new SignJWT({ ...right, ...claims })
    .setProtectedHeader({ alg, kid: publicJwk.kid, typ: 'at+jwt', ...header })
    .sign(privateKey);
}

/** The server's settings for this provider. */
export function settingsFor(config: Config, issuer: string, changes: Partial<Config> = {}): Config {
  return { ...config, oauthIssuer: issuer, oauthAudience: audience, ...changes };
}

export type StandardProvider = {
  issuer: string;
  /** An access token from client credentials. */
  token(client: { id: string; secret: string }, scope?: string): Promise<string>;
  close(): Promise<void>;
};

/** A real provider, from a certified library. advisorOf gives the client's advisor claim. */
export async function startStandardProvider(options: {
  audience: string;
  clients: { id: string; secret: string }[];
  advisorOf(clientId: string | undefined): string | number;
}): Promise<StandardProvider> {
  let listener: RequestListener = (_request, response) => response.writeHead(503).end();
  const server = await listening((request, response) => listener(request, response));
  const issuer = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const { privateKey } = await generateKeyPair('RS256', { extractable: true });
  const provider = new Provider(issuer, {
    jwks: { keys: [{ ...(await exportJWK(privateKey)), kid: 'standard', use: 'sig', alg: 'RS256' }] },
    adapter: forgetful,
    ttl: { ClientCredentials: 60 },
    cookies: { keys: ['a test’s own'] },
    clients: options.clients.map(({ id, secret }) => ({
      client_id: id,
      client_secret: secret,
      grant_types: ['client_credentials'],
      redirect_uris: [],
      response_types: [],
    })),
    features: {
      devInteractions: { enabled: false },
      clientCredentials: { enabled: true },
      resourceIndicators: {
        enabled: true,
        getResourceServerInfo: () => ({
          scope: allScopes.join(' '),
          audience: options.audience,
          accessTokenFormat: 'jwt',
          accessTokenTTL: 60,
          jwt: { sign: { alg: 'RS256' } },
        }),
      },
    },
    extraTokenClaims: (_context, { clientId }) => ({ advisor_id: options.advisorOf(clientId) }),
  });
  listener = provider.callback();
  return {
    issuer,
    async token({ id, secret }, scope = allScopes.join(' ')) {
      const answer = await fetch(`${issuer}/token`, {
        method: 'POST',
        headers: { authorization: `Basic ${btoa(`${id}:${secret}`)}` },
        body: new URLSearchParams({ grant_type: 'client_credentials', resource: options.audience, scope }),
      });
      const body = await answer.text();
      if (answer.status !== 200) throw new Error(`The provider answered ${answer.status}: ${body}`);
      return JSON.parse(body).access_token;
    },
    close: () => closed(server),
  };
}

/** Stores nothing: access tokens are JWTs, so there is nothing to store. */
const forgetful = () => ({
  upsert: async () => {},
  find: async () => undefined,
  findByUserCode: async () => undefined,
  findByUid: async () => undefined,
  consume: async () => {},
  destroy: async () => {},
  revokeByGrantId: async () => {},
});

async function listening(answer: RequestListener, port = 0): Promise<Server> {
  const server = createServer(answer);
  await new Promise<void>((resolve, reject) => server.once('error', reject).listen(port, '127.0.0.1', resolve));
  return server;
}

async function closed(server: Server): Promise<void> {
  const gone = new Promise((resolve) => server.close(resolve));
  server.closeAllConnections();
  await gone;
}
