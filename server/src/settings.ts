import { fileURLToPath } from 'node:url';
import {
  addressesAndNetworks,
  archiveName,
  integer,
  oneOf,
  origin,
  pathFrom,
  pathsFrom,
  postgresUrl,
  redisUrl,
  sealingKeys,
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
    about: '`sandbox` or `production`. Ids, secrets and keys include its name.',
    parse: oneOf('sandbox', 'production'),
  },
  role: {
    name: 'ROLE',
    default: 'all',
    about: '`api` answers requests, `work` sends texts and runs jobs, `all` does both.',
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
      'The URL where partners reach the server, without a path: `https://api.example.com`. Required in production, with a host name, which passkeys belong to; in the sandbox `http://localhost:PORT`.',
    parse: origin,
  },
  trustedProxies: {
    name: 'TRUSTED_PROXIES',
    default: '',
    about: 'Addresses and networks of your proxies: `10.0.0.0/8,fd00::1`. `X-Forwarded-For` counts only from these.',
    parse: addressesAndNetworks,
  },
  outboundAllowedNetworks: {
    name: 'OUTBOUND_ALLOWED_NETWORKS',
    default: '',
    about:
      'Private networks that URLs given by users (a CRM, a webhook) may point to: `10.0.0.0/8,fd00::1`. Otherwise they must be public.',
    parse: addressesAndNetworks,
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
      'The key that signs the archive: Ed25519 in PEM format (`openssl genpkey -algorithm ed25519`), not on the database’s machine, in a folder that the server can write to. One node with it is enough. The sandbox makes one.',
    parse: pathFrom(root),
  },
  archiveName: {
    name: 'ARCHIVE_NAME',
    default: '',
    about:
      'The archive’s permanent name in checkpoints, without spaces or plus signs. If unset, the host of `PUBLIC_URL` and `/archive`.',
    parse: archiveName,
  },
  archiveOutsideDir: {
    name: 'ARCHIVE_OUTSIDE_DIR',
    default: '',
    about:
      'Folder that checkpoints are appended to, out of reach of the database’s administrators. The sandbox makes one.',
    parse: pathFrom(root),
  },
  archiveOtherCopies: {
    name: 'ARCHIVE_OTHER_COPIES',
    default: '',
    about: 'Other nodes’ `ARCHIVE_OUTSIDE_DIR`, separated by commas, from which a new node learns what was signed.',
    parse: pathsFrom(root),
  },
  archiveCheckpointCommand: {
    name: 'ARCHIVE_CHECKPOINT_COMMAND',
    default: '',
    about: 'Command that gets each new checkpoint on stdin, for write-once storage. It has 30 seconds, and is retried.',
    parse: text,
  },
  alertMailCommand: {
    name: 'ALERT_MAIL_COMMAND',
    default: '',
    about:
      'Command that sends mail, such as `sendmail -t`, for alerts and for links that replace the passkeys of staff: it gets the whole message on stdin, and has 30 seconds.',
    parse: text,
  },
  metricsToken: {
    name: 'METRICS_TOKEN',
    default: '',
    about:
      '`/metrics` needs `Authorization: Bearer` with it. If unset, `/metrics` is 404 in production, and open in a sandbox.',
    parse: text,
    secret: true,
  },
  databaseUrl: {
    name: 'DATABASE_URL',
    default: '',
    about:
      'URL of a PostgreSQL 15 or newer, with one address. Required in production. `?sslmode=verify-full&sslrootcert=/etc/assent/database-ca.pem` is TLS. If unset, the embedded one runs.',
    parse: postgresUrl,
    secret: true,
  },
  credentialsKeys: {
    name: 'CREDENTIALS_KEY',
    default: '',
    about:
      'The key that encrypts secrets in the database, the same on every node: 32 random bytes in base64 (`openssl rand -base64 32`). To replace it, put the new one and a comma in front of it on every node, run `assent secrets reseal`, then remove the old one. The sandbox makes one; without it, production can’t add carriers, webhooks or CRMs with a secret, and stores the keys that sign tokens unencrypted.',
    parse: sealingKeys,
    secret: true,
  },
  redisUrl: {
    name: 'REDIS_URL',
    default: '',
    about:
      'URL of a Redis or Valkey through which processes share the rate and burst of usage plans: `redis://user:password@host:6379`, or `rediss://` for TLS. Without it, or while it is down, each has its own.',
    parse: redisUrl,
    secret: true,
  },
  requestsMax: {
    name: 'REQUESTS_MAX',
    default: '800',
    about:
      'The most `/v1` requests that one process handles at once, not counting those that `wait`; more get a 429. An API key can have three quarters of these places, an advisor half.',
    parse: integer(1, 100_000),
  },
  databasePoolSize: {
    name: 'DATABASE_POOL_SIZE',
    default: '10',
    about:
      'Connections of one process to PostgreSQL for requests, half of them for one API key at most; up to 28 more are for texts, replies and jobs.',
    parse: integer(2, 500),
  },
  databaseTimeoutMs: {
    name: 'DATABASE_TIMEOUT_MS',
    default: '5000',
    about:
      'The longest that a request waits for a statement, a lock or a connection, in milliseconds; then it gets a 504.',
    parse: integer(100, 600_000),
  },
  carrierTimeoutMs: {
    name: 'CARRIER_TIMEOUT_MS',
    default: '10000',
    about: 'How long to wait for the carrier to accept a text, in milliseconds; then the text is `in_doubt`.',
    parse: integer(100, 120_000),
  },
  textLifetimeHours: {
    name: 'TEXT_LIFETIME_HOURS',
    default: '24',
    about:
      'How long to keep trying an accepted text, in hours, from the moment it may be sent. Then it fails with `expired`, or is `undelivered` if part of it was sent.',
    parse: integer(1, 168),
  },
  requestTimeoutMs: {
    name: 'REQUEST_TIMEOUT_MS',
    default: '30000',
    about: 'The longest that a client may take to send a request, in milliseconds.',
    parse: integer(100, 600_000),
  },
  stopGraceMs: {
    name: 'STOP_GRACE_MS',
    default: '300',
    about:
      'How long a stopping server still answers new requests, in milliseconds: a little longer than the load balancer’s interval of checks.',
    parse: integer(0, 120_000),
  },
  logLevel: {
    name: 'LOG_LEVEL',
    default: 'info',
    about: '`silent`, `error`, `warn`, `info` or `debug`.',
    parse: oneOf('silent', 'error', 'warn', 'info', 'debug'),
  },
} as const;
