import { isIP } from 'node:net';
import { join } from 'node:path';
import { settings } from './settings.ts';

export { root, settings } from './settings.ts';

/** The names of this machine in its own URLs. */
export const loopbackHosts = ['localhost', '127.0.0.1', '[::1]'];

export type Config = {
  readonly [Name in keyof typeof settings]: ReturnType<(typeof settings)[Name]['parse']>;
} & {
  /** scripts/start.js started us: if it dies without a signal, we stop too (main.ts says why). */
  readonly startedByScript: boolean;
  /** PORT or PUBLIC_URL is set. Otherwise a command uses the running sandbox's address. */
  readonly addressGiven: boolean;
};

export class ConfigError extends Error {}

/** The only reader of the environment. */
export function readConfig(env: Record<string, string | undefined> = process.env): Config {
  const values: Record<string, unknown> = {};
  for (const [key, setting] of Object.entries(settings)) {
    const given = env[setting.name] || setting.default;
    try {
      values[key] = setting.parse(given);
    } catch (error) {
      // A URL may contain a password, and this message ends up in logs.
      const shown = 'secret' in setting ? 'can’t be used' : `is "${given}"`;
      throw new ConfigError(`${setting.name} ${shown}: it must be ${(error as Error).message}.`);
    }
  }
  const config = {
    ...values,
    startedByScript: env.ASSENT_STARTED_BY_SCRIPT === 'yes',
    addressGiven: Boolean(env.PORT || env.PUBLIC_URL),
  } as Config;
  return withArchive(withPublicUrl(withSharedDatabase(config)));
}

/** The embedded PostgreSQL belongs to one server. */
function withSharedDatabase(config: Config): Config {
  if (config.role !== 'all' && !config.databaseUrl)
    throw new ConfigError(`ROLE is "${config.role}": set DATABASE_URL to the database that the processes share.`);
  return config;
}

function withPublicUrl(config: Config): Config {
  if (config.environment === 'sandbox') {
    if (!['127.0.0.1', '::1', 'localhost'].includes(config.host))
      throw new ConfigError(`HOST is "${config.host}": the sandbox listens on loopback only.`);
    // By name, because passkeys don't work on IP addresses.
    return { ...config, publicUrl: config.publicUrl || `http://localhost:${config.port}` };
  }
  if (!config.publicUrl.startsWith('https://'))
    throw new ConfigError(
      `PUBLIC_URL is "${config.publicUrl}": production needs an https URL, such as https://api.example.com.`,
    );
  if (isIP(new URL(config.publicUrl).hostname.replace(/^\[|\]$/g, '')))
    throw new ConfigError(`PUBLIC_URL is "${config.publicUrl}": it needs a host name, for the passkeys of your staff.`);
  if (!config.databaseUrl) throw new ConfigError('DATABASE_URL is not set: production needs its own PostgreSQL.');
  return config;
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
