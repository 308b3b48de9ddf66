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
  pathsFrom,
  postgresUrl,
  redisUrl,
  sealingKeys,
  share,
  text,
} from './setting-parsers.ts';

const checkout = fileURLToPath(new URL('../../', import.meta.url));

/** The checkout, with the default data folder. For an installed package it is where the command is run: `npm ci` empties node_modules. */
export const root = checkout.includes('/node_modules/') ? `${process.cwd()}/` : checkout;

/** Every setting. docs/reference/configuration.md is generated from this table. */
export const settings = {
  environment: {
    name: 'ASSENT_ENV',
    default: 'sandbox',
    about:
      '`sandbox` or `production`. One deployment is one environment, and its ids, secrets and keys include its name.',
    parse: oneOf('sandbox', 'production'),
  },
  role: {
    name: 'ROLE',
    default: 'all',
    about:
      'What this process does: `api` answers requests, `work` hands texts over and runs the jobs, `all` does both. At least one must work.',
    parse: oneOf('all', 'api', 'work'),
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
      'The URL where partners reach the server, without a path: `https://api.example.com`. Required in production. In the sandbox it defaults to `http://localhost:PORT`.',
    parse: origin,
  },
  trustedProxies: {
    name: 'TRUSTED_PROXIES',
    default: '',
    about:
      'IP addresses and networks of your proxies, separated by commas: `10.0.0.0/8,fd00::1`. The client’s address is read from `X-Forwarded-For` only if one of them sent it.',
    parse: addressesAndNetworks,
  },
  outboundAllowedNetworks: {
    name: 'OUTBOUND_ALLOWED_NETWORKS',
    default: '',
    about:
      'Your own IP addresses and networks, separated by commas: `10.0.0.0/8,fd00::1`. The server fetches URLs that users configure (a CRM, a feed, a sitemap) only from public addresses and from these.',
    parse: addressesAndNetworks,
  },
  oauthIssuer: {
    name: 'OAUTH_ISSUER',
    default: '',
    about:
      'The issuer of an identity provider that replaces our own authorization server, exactly as in its metadata: https, in the sandbox also http on loopback.',
    parse: issuer,
  },
  oauthAudience: {
    name: 'OAUTH_AUDIENCE',
    default: '',
    about: 'With `OAUTH_ISSUER`: the audience of its tokens for this API. If unset, `PUBLIC_URL/v1`.',
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
      'With `OAUTH_ISSUER`: the claim that names the application, by its client id here or by its `--external-client-id`; for example `azp`, `cid` or `appid`.',
    parse: text,
  },
  oauthScopeClaim: {
    name: 'OAUTH_SCOPE_CLAIM',
    default: 'scope',
    about: 'With `OAUTH_ISSUER`: the claim with the scopes, as a space-separated string or a list; for example `scp`.',
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
      'File with the key that signs the archive: Ed25519 in PEM format (`openssl genpkey -algorithm ed25519`), on a different machine from the database. The server must be able to write to its folder: what it has signed is beside it, in a `.signed` file. One node with it is enough. If unset, the sandbox makes one in the data folder.',
    parse: pathFrom(root),
  },
  archiveName: {
    name: 'ARCHIVE_NAME',
    default: '',
    about:
      'The archive’s permanent name in checkpoints, without spaces or plus signs. If unset, the host name of `PUBLIC_URL` followed by `/archive`.',
    parse: archiveName,
  },
  archiveOutsideDir: {
    name: 'ARCHIVE_OUTSIDE_DIR',
    default: '',
    about:
      'Folder that checkpoints are appended to, on a disk that the database’s administrators can’t change. If unset, the sandbox uses one in the data folder.',
    parse: pathFrom(root),
  },
  archiveOtherCopies: {
    name: 'ARCHIVE_OTHER_COPIES',
    default: '',
    about:
      'Folders with the copies of other nodes (their `ARCHIVE_OUTSIDE_DIR`), separated by commas. A new node reads from these what was signed; without any it signs nothing until an operator runs `assent archive trust`.',
    parse: pathsFrom(root),
  },
  archiveCheckpointCommand: {
    name: 'ARCHIVE_CHECKPOINT_COMMAND',
    default: '',
    about:
      'Command that gets each new checkpoint on stdin, for example to put it into write-once storage. It has 30 seconds. If it fails, it is retried.',
    parse: text,
  },
  alertMailCommand: {
    name: 'ALERT_MAIL_COMMAND',
    default: '',
    about:
      'Command that sends alerts by mail, such as `sendmail -t`: it gets the whole message on stdin, with its recipient in the header. It has 30 seconds. Without it, alerts go to webhooks only.',
    parse: text,
  },
  archiveTimestampUrl: {
    name: 'ARCHIVE_TIMESTAMP_URL',
    default: '',
    about: 'URL of a time-stamping authority (RFC 3161) that timestamps checkpoints.',
    parse: httpUrl,
  },
  archiveTimestampEveryMs: {
    name: 'ARCHIVE_TIMESTAMP_EVERY_MS',
    default: '3600000',
    about: 'Time between timestamps, in milliseconds.',
    parse: integer(1_000, 86_400_000),
  },
  metricsToken: {
    name: 'METRICS_TOKEN',
    default: '',
    about:
      '`/metrics` needs `Authorization: Bearer` with it. If unset, `/metrics` is 404 in production, and open in a sandbox.',
    parse: text,
    secret: true,
  },
  otlpEndpoint: {
    name: 'OTEL_EXPORTER_OTLP_ENDPOINT',
    default: '',
    about:
      'URL of an OpenTelemetry collector that takes OTLP over HTTP, such as `http://collector:4318`. If set, requests and texts are traced to the carrier. If unset, nothing is.',
    parse: httpUrl,
  },
  otlpHeaders: {
    name: 'OTEL_EXPORTER_OTLP_HEADERS',
    default: '',
    about: 'Headers for the collector: `name=value`, separated by commas.',
    parse: text,
    secret: true,
  },
  tracesShare: {
    name: 'OTEL_TRACES_SAMPLER_ARG',
    default: '1',
    about: 'The share of traces that is exported, from 0 to 1. The trace id decides, so a trace is exported whole.',
    parse: share,
  },
  serviceName: {
    name: 'OTEL_SERVICE_NAME',
    default: 'assent',
    about: 'The name of the service in traces.',
    parse: text,
  },
  databaseUrl: {
    name: 'DATABASE_URL',
    default: '',
    about:
      'URL of a PostgreSQL 15 or newer. Required in production. With `?sslmode=verify-full&sslrootcert=/etc/assent/database-ca.pem` it is reached over TLS. Several servers, `postgres://user@one:5432,two:5432/assent?target_session_attrs=read-write`, are a primary and its standbys: whichever takes writes is used. If unset, the embedded one runs, with its files in the data folder.',
    parse: postgresUrl,
    secret: true,
  },
  credentialsKeys: {
    name: 'CREDENTIALS_KEY',
    default: '',
    about:
      'The key that encrypts secrets in the database, the same on every node: those of connected CRMs, webhooks and carriers, and the keys that sign tokens. 32 random bytes in base64 (`openssl rand -base64 32`). To replace it, put the new one and a comma in front of it on every node, run `assent secrets reseal`, then remove the old one. If unset, the sandbox makes one in the data folder; production can’t add carriers or connect CRMs that need a secret, and stores the keys that sign tokens unencrypted.',
    parse: sealingKeys,
    secret: true,
  },
  redisUrl: {
    name: 'REDIS_URL',
    default: '',
    about:
      'URL of a Redis or Valkey: `redis://user:password@host:6379`, or `rediss://` for TLS. Processes with the same one share the rate and burst of usage plans. If unset, or while it can’t be reached, each process has its own.',
    parse: redisUrl,
    secret: true,
  },
  requestsMax: {
    name: 'REQUESTS_MAX',
    default: '800',
    about:
      'How many `/v1` requests one process answers at once; those that only `wait` don’t count. More are turned away with 429. An API key can have three quarters of these places, and an advisor half.',
    parse: integer(1, 100_000),
  },
  databasePoolSize: {
    name: 'DATABASE_POOL_SIZE',
    default: '10',
    about:
      'Connections that one process has to PostgreSQL for requests; an API key can use half of them at once. It uses up to 28 more for texts, replies and jobs.',
    parse: integer(2, 500),
  },
  databaseTimeoutMs: {
    name: 'DATABASE_TIMEOUT_MS',
    default: '5000',
    about:
      'The longest that a request waits for a statement, a lock or a connection, in milliseconds. After that it gets a 504. Commands that go through everything, like `archive verify`, wait at least a minute.',
    parse: integer(100, 600_000),
  },
  carrierTimeoutMs: {
    name: 'CARRIER_TIMEOUT_MS',
    default: '10000',
    about:
      'The longest that the carrier may take to answer when it is handed a text, in milliseconds. After that the text is `in_doubt` and is not sent again.',
    parse: integer(100, 120_000),
  },
  textLifetimeHours: {
    name: 'TEXT_LIFETIME_HOURS',
    default: '24',
    about:
      'How long an accepted text is tried, in hours, from the moment when it may go: after its quiet hours, its approval or its turn in the pace. Then it is `failed` with `expired`; one of which a part was sent is `undelivered`.',
    parse: integer(1, 168),
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
      'How long a stopping server still answers new requests, in milliseconds: a little longer than the interval of the load balancer’s health checks.',
    parse: integer(0, 120_000),
  },
  logLevel: {
    name: 'LOG_LEVEL',
    default: 'info',
    about: '`silent`, `error`, `warn`, `info` or `debug`.',
    parse: oneOf('silent', 'error', 'warn', 'info', 'debug'),
  },
  logSample: {
    name: 'LOG_SAMPLE',
    default: '1',
    about:
      'The share of successful requests that get a line in the log, from 0 to 1: `0.01` is one in a hundred. Every request that takes a second or longer, or whose status isn’t 2xx, gets its line.',
    parse: share,
  },
} as const;
