import { type Problem, problem } from '../problems.ts';

/** The provider metadata that we use: OpenID Connect Discovery and RFC 8414 have the same names for it. */
type ProviderMetadata = {
  jwks_uri: string;
  authorization_endpoint: string | undefined;
  token_endpoint: string | undefined;
};

/** How long a request waits for the metadata, and then for the keys. */
export const providerTimeoutMs = 5_000;
/** The large providers' metadata and keys are under 20 KiB. */
const responseBytesMax = 256 * 1024;
/** After a failure the provider isn't asked again for this long. */
const cooldownMs = 1_000;

/** The provider is at fault. The message holds no secret, and tells the operator what to fix. */
export class ProviderFault extends Error {
  constructor(what: string, cause?: unknown) {
    super(`The identity provider ${what}`, { cause });
  }

  asProblem(): Problem {
    const code = this instanceof ProviderTimeout ? 'downstream_timeout' : 'downstream_unavailable';
    return problem(code, `${this.message}; nothing was done. Retry with backoff.`, { cause: this });
  }
}

class ProviderTimeout extends ProviderFault {}

export async function discover(issuer: string): Promise<ProviderMetadata> {
  const signal = AbortSignal.timeout(providerTimeoutMs);
  for (const url of metadataUrls(issuer)) {
    const { status, text } = await ask(url, signal);
    if (status >= 400 && status < 500) continue;
    if (status !== 200) throw new ProviderFault(`answers ${status} where its metadata should be`);
    return readMetadata(text, issuer);
  }
  throw new ProviderFault('publishes no metadata');
}

export async function fetchDocument(url: string, signal: AbortSignal): Promise<string> {
  const { status, text } = await ask(url, signal);
  if (status !== 200) throw new ProviderFault(`answers ${status} where its keys should be`);
  return text;
}

/** One attempt at a time, and none until cooldownMs after a failure: concurrent callers share the outcome. */
export function singleFlight<Args extends unknown[], Result>(
  attempt: (...args: Args) => Promise<Result>,
): (...args: Args) => Promise<Result> {
  let pending: Promise<Result> | undefined;
  let failure: { error: unknown; atMs: number } | undefined;

  async function attempted(args: Args): Promise<Result> {
    try {
      return await attempt(...args);
    } catch (error) {
      failure = { error, atMs: performance.now() };
      throw error;
    } finally {
      pending = undefined;
    }
  }

  return async (...args) => {
    if (failure && performance.now() < failure.atMs + cooldownMs) throw failure.error;
    pending ??= attempted(args);
    return pending;
  };
}

/** First OpenID Connect's, after the issuer; then RFC 8414's, before the issuer's path. */
function metadataUrls(issuer: string): string[] {
  const { origin, pathname } = new URL(issuer);
  const path = pathname.replace(/\/$/, '');
  return [
    `${origin}${path}/.well-known/openid-configuration`,
    `${origin}/.well-known/oauth-authorization-server${path}`,
  ];
}

function readMetadata(text: string, issuer: string): ProviderMetadata {
  const metadata = parse(text);
  // RFC 8414, section 3.3: otherwise one issuer could pass off another's keys as its own.
  if (metadata.issuer !== issuer)
    throw new ProviderFault(
      `calls itself ${JSON.stringify(metadata.issuer) ?? 'nothing'}, which is not exactly OAUTH_ISSUER`,
    );
  const { jwks_uri, authorization_endpoint, token_endpoint } = metadata;
  const secure = typeof jwks_uri === 'string' && URL.canParse(jwks_uri) && isAsSecure(jwks_uri, issuer);
  if (!secure) throw new ProviderFault('publishes no https address for its keys');
  return {
    jwks_uri,
    authorization_endpoint: given(authorization_endpoint, issuer),
    token_endpoint: given(token_endpoint, issuer),
  };
}

/** An http issuer is a sandbox's, on loopback. */
function isAsSecure(url: string, issuer: string): boolean {
  return ['https:', new URL(issuer).protocol].includes(new URL(url).protocol);
}

function parse(text: string): Record<string, unknown> {
  try {
    const value = JSON.parse(text);
    if (typeof value === 'object' && value !== null) return value;
  } catch {}
  throw new ProviderFault('publishes metadata that is not a JSON object');
}

function given(value: unknown, issuer: string): string | undefined {
  return typeof value === 'string' && URL.canParse(value) && isAsSecure(value, issuer) ? value : undefined;
}

async function ask(url: string, signal: AbortSignal): Promise<{ status: number; text: string }> {
  try {
    // A redirect is just another answer that isn't 200: keys come from where the metadata says.
    const response = await fetch(url, { signal, redirect: 'manual', headers: { accept: 'application/json' } });
    return { status: response.status, text: await readBounded(response) };
  } catch (cause) {
    if (cause instanceof ProviderFault) throw cause;
    throw signal.aborted ? new ProviderTimeout('took too long', cause) : new ProviderFault('can’t be reached', cause);
  }
}

/** Leaving the loop early also ends the transfer. */
async function readBounded(response: Response): Promise<string> {
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  for await (const chunk of response.body ?? []) {
    bytes += chunk.byteLength;
    if (bytes > responseBytesMax) throw new ProviderFault(`answers with more than ${responseBytesMax} bytes`);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString('utf8');
}
