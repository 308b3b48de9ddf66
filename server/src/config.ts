import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import {
  addressesAndNetworks,
  archiveName,
  httpUrl,
  integer,
  issuer,
  oneOf,
  origin,
  pathFrom,
  postgresUrl,
  sealingKeys,
  text,
} from './settings/parsers.ts';

/** What this machine is called in its own addresses. */
export const loopbackHosts = ['localhost', '127.0.0.1', '[::1]'];

/** Where the checkout is: the default data folder and the files that the server reads lie under it. */
export const root = fileURLToPath(new URL('../../', import.meta.url));

/**
 * Every setting of the product. This file is the only reader of the environment; docs/reference/configuration.md is
 * generated from this table.
 */
export const settings = {
  environment: {
    name: 'ASSENT_ENV',
    default: 'sandbox',
    about: '`sandbox` or `production`. One deployment is one environment; its ids, secrets and keys carry its name.',
    parse: oneOf('sandbox', 'production'),
  },
  host: {
    name: 'HOST',
    default: '127.0.0.1',
    about: 'Address to listen on. The sandbox listens on loopback only.',
    parse: text,
  },
  port: { name: 'PORT', default: '8080', about: 'Port to listen on.', parse: integer(1, 65_535) },
  publicUrl: {
    name: 'PUBLIC_URL',
    default: '',
    about:
      'Where partners reach the server, without a path: `https://api.example.com`. Required, and https, in production; in the sandbox `http://localhost:PORT`.',
    parse: origin,
  },
  trustedProxies: {
    name: 'TRUSTED_PROXIES',
    default: '',
    about:
      'Addresses and networks of your proxies, with commas: `10.0.0.0/8,fd00::1`. Who calls is then read from their `X-Forwarded-For`; nobody else’s is believed.',
    parse: addressesAndNetworks,
  },
  outboundAllowedNetworks: {
    name: 'OUTBOUND_ALLOWED_NETWORKS',
    default: '',
    about:
      'Addresses and networks of your own, with commas: `10.0.0.0/8,fd00::1`. What is fetched from an address that somebody wrote down (a CRM, a feed, a sitemap) comes from public addresses and from these only.',
    parse: addressesAndNetworks,
  },
  oauthIssuer: {
    name: 'OAUTH_ISSUER',
    default: '',
    about:
      'An identity provider that takes the place of our own authorization server: its issuer, exactly as its metadata has it. It must be https; in the sandbox also http on loopback. Unset, our own server issues the tokens.',
    parse: issuer,
  },
  oauthAudience: {
    name: 'OAUTH_AUDIENCE',
    default: '',
    about: 'With `OAUTH_ISSUER`: the audience that its tokens for this API carry. Unset, `PUBLIC_URL/v1`.',
    parse: text,
  },
  oauthAdvisorClaim: {
    name: 'OAUTH_ADVISOR_CLAIM',
    default: 'advisor_id',
    about: 'With `OAUTH_ISSUER`: the claim that names the advisor, by id or email.',
    parse: text,
  },
  oauthApplicationClaim: {
    name: 'OAUTH_APPLICATION_CLAIM',
    default: 'client_id',
    about:
      'With `OAUTH_ISSUER`: the claim that names the application, by its client id here or by its `--external-client-id`; such as `azp`, `cid` or `appid`.',
    parse: text,
  },
  oauthScopeClaim: {
    name: 'OAUTH_SCOPE_CLAIM',
    default: 'scope',
    about: 'With `OAUTH_ISSUER`: the claim that has the scopes, as a string with spaces or as a list; such as `scp`.',
    parse: text,
  },
  dataDir: {
    name: 'ASSENT_DATA_DIR',
    default: '.assent',
    about: 'Folder for the embedded PostgreSQL and `sandbox.json`, relative to the checkout.',
    parse: pathFrom(root),
  },
  archiveKeyFile: {
    name: 'ARCHIVE_KEY_FILE',
    default: '',
    about:
      'File with the key that signs checkpoints of the archive: Ed25519 in PEM (`openssl genpkey -algorithm ed25519`). Keep it where the database is not. A node without it signs nothing, and one node with it is enough. Unset, the sandbox makes one in the data folder.',
    parse: pathFrom(root),
  },
  archiveName: {
    name: 'ARCHIVE_NAME',
    default: '',
    about:
      'What checkpoints call this archive, for good: a name without spaces and plus signs. Unset, the host of `PUBLIC_URL` and `/archive`.',
    parse: archiveName,
  },
  archiveOutsideDir: {
    name: 'ARCHIVE_OUTSIDE_DIR',
    default: '',
    about:
      'Folder that checkpoints are appended to, on a disk that whoever administers the database can’t change. Unset, the sandbox uses one in the data folder.',
    parse: pathFrom(root),
  },
  archiveCheckpointCommand: {
    name: 'ARCHIVE_CHECKPOINT_COMMAND',
    default: '',
    about:
      'Command that is handed each new checkpoint on its stdin, such as one that puts it into write-once storage. It has 30 seconds; what it refuses is tried again.',
    parse: text,
  },
  archiveTimestampUrl: {
    name: 'ARCHIVE_TIMESTAMP_URL',
    default: '',
    about: 'A time-stamping authority (RFC 3161) that checkpoints are stamped by.',
    parse: httpUrl,
  },
  archiveTimestampEveryMs: {
    name: 'ARCHIVE_TIMESTAMP_EVERY_MS',
    default: '3600000',
    about: 'How long a time stamp is enough before the next is asked for, in milliseconds.',
    parse: integer(1_000, 86_400_000),
  },
  databaseUrl: {
    name: 'DATABASE_URL',
    default: '',
    about:
      'PostgreSQL 15 or newer. Unset, the embedded one runs, its files in the data folder. Required in production.',
    parse: postgresUrl,
    secret: true,
  },
  credentialsKeys: {
    name: 'CREDENTIALS_KEY',
    default: '',
    about:
      'The key that secrets of connected CRMs are sealed with in the database: 32 random bytes in base64 (`openssl rand -base64 32`). To replace it, put the new one before it with a comma, run `assent crm reseal`, then drop the old one. Unset, the sandbox makes one in the data folder; production then connects no CRM that needs a secret.',
    parse: sealingKeys,
    secret: true,
  },
  databasePoolSize: {
    name: 'DATABASE_POOL_SIZE',
    default: '10',
    about: 'Connections that one process keeps to PostgreSQL; up to four more are for what is written in batches.',
    parse: integer(2, 500),
  },
  databaseTimeoutMs: {
    name: 'DATABASE_TIMEOUT_MS',
    default: '5000',
    about: 'The longest that a request waits for one statement, a lock or a connection, in milliseconds; then 504.',
    parse: integer(100, 600_000),
  },
  carrierTimeoutMs: {
    name: 'CARRIER_TIMEOUT_MS',
    default: '10000',
    about:
      'The longest that the carrier may take to answer when a text is handed to it, in milliseconds; then nobody knows whether it took the text, which is `in_doubt` and not sent again.',
    parse: integer(100, 120_000),
  },
  requestTimeoutMs: {
    name: 'REQUEST_TIMEOUT_MS',
    default: '30000',
    about: 'The longest that a client may take to send a whole request, in milliseconds.',
    parse: integer(100, 600_000),
  },
  stopGraceMs: {
    name: 'STOP_GRACE_MS',
    default: '300',
    about:
      'How long a stopping server still answers new requests, closing each connection with its answer, in milliseconds. Behind a load balancer: a little more than its health interval.',
    parse: integer(0, 120_000),
  },
  logLevel: {
    name: 'LOG_LEVEL',
    default: 'info',
    about: '`silent`, `error`, `warn`, `info` or `debug`.',
    parse: oneOf('silent', 'error', 'warn', 'info', 'debug'),
  },
} as const;

export type Config = {
  readonly [Name in keyof typeof settings]: ReturnType<(typeof settings)[Name]['parse']>;
} & {
  /** npm started us: when it dies without a signal, so do we (main.ts says why). */
  readonly startedByNpm: boolean;
  /** PORT or PUBLIC_URL was given: otherwise a command takes the running sandbox's own address. */
  readonly addressGiven: boolean;
};

export class ConfigError extends Error {}

export function readConfig(env: Record<string, string | undefined> = process.env): Config {
  const values: Record<string, unknown> = {};
  for (const [key, setting] of Object.entries(settings)) {
    const given = env[setting.name] || setting.default;
    try {
      values[key] = setting.parse(given);
    } catch (error) {
      // An address may carry a password, and what is said here ends up in logs.
      const shown = 'secret' in setting ? 'can’t be used' : `is "${given}"`;
      throw new ConfigError(`${setting.name} ${shown}: it must be ${(error as Error).message}.`);
    }
  }
  const config = {
    ...values,
    startedByNpm: env.npm_lifecycle_event === 'start',
    addressGiven: Boolean(env.PORT || env.PUBLIC_URL),
  } as Config;
  return withArchive(withIssuer(withPublicUrl(config)));
}

/** Where the sandbox is reached on this port, unless PUBLIC_URL says otherwise. Passkeys refuse IP addresses, hence the name. */
function sandboxUrl(port: number): string {
  return `http://localhost:${port}`;
}

function withPublicUrl(config: Config): Config {
  if (config.environment === 'sandbox') {
    if (!['127.0.0.1', '::1', 'localhost'].includes(config.host))
      throw new ConfigError(`HOST is "${config.host}": the sandbox listens on loopback only.`);
    return { ...config, publicUrl: config.publicUrl || sandboxUrl(config.port) };
  }
  if (!config.publicUrl.startsWith('https://'))
    throw new ConfigError(
      `PUBLIC_URL is "${config.publicUrl}": production needs an https address, such as https://api.example.com.`,
    );
  if (!config.databaseUrl) throw new ConfigError('DATABASE_URL is not set: production needs a PostgreSQL of its own.');
  return config;
}

function withIssuer(config: Config): Config {
  const { oauthIssuer, environment } = config;
  const loopback = environment === 'sandbox' && loopbackHosts.includes(URL.parse(oauthIssuer)?.hostname ?? '');
  if (oauthIssuer && !oauthIssuer.startsWith('https://') && !loopback)
    throw new ConfigError(`OAUTH_ISSUER is "${oauthIssuer}": whose tokens are believed must be reached by https.`);
  return { ...config, oauthAudience: config.oauthAudience || `${config.publicUrl}/v1` };
}

function withArchive(config: Config): Config {
  const { archiveName, archiveKeyFile, archiveOutsideDir, environment, dataDir, publicUrl } = config;
  const inFolder = (name: string) => (environment === 'sandbox' ? join(dataDir, name) : '');
  return {
    ...config,
    archiveName: archiveName || `${new URL(publicUrl).hostname}/archive`,
    archiveKeyFile: archiveKeyFile || inFolder('archive.key'),
    archiveOutsideDir: archiveOutsideDir || inFolder('archive-outside'),
  };
}
