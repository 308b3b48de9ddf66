import type { Config } from '../../config.ts';
import { type CheckFinding, failing, ok, warning } from './findings.ts';

/** What production needs besides the settings without which it doesn’t start. */
export function checkSettings(config: Config): CheckFinding[] {
  const { environment, publicUrl, role } = config;
  if (environment === 'sandbox') return [ok('environment', `sandbox at ${publicUrl}: for testing, not for clients`)];
  return [
    ok('environment', `production at ${publicUrl}`),
    credentialsFinding(config),
    proxiesFinding(config),
    metricsFinding(config),
    ...(role === 'api' ? [] : archiveSettings(config)),
  ];
}

function credentialsFinding({ credentialsKeys }: Config): CheckFinding {
  if (credentialsKeys.length > 0) return ok('CREDENTIALS_KEY', 'is set');
  const says = 'is not set: no carrier can be added, and the keys that sign tokens are stored unencrypted';
  return failing('CREDENTIALS_KEY', says, 'Make one with openssl rand -base64 32, and give it to every process.');
}

function proxiesFinding({ trustedProxies }: Config): CheckFinding {
  if (trustedProxies.length > 0) return ok('TRUSTED_PROXIES', trustedProxies.join(', '));
  const says =
    'is not set: every client appears to have the proxy’s address, so one client’s wrong passwords throttle everyone';
  return warning('TRUSTED_PROXIES', says, 'Set it to the addresses of the proxies in front of this server.');
}

function metricsFinding({ metricsToken }: Config): CheckFinding {
  if (metricsToken !== '') return ok('METRICS_TOKEN', 'is set');
  const says = 'is not set: /metrics answers 404, so nobody is alerted when something goes wrong';
  return warning('METRICS_TOKEN', says, 'Make one with openssl rand -hex 24, and give it to Prometheus too.');
}

function archiveSettings({ archiveKeyFile, archiveOutsideDir }: Config): CheckFinding[] {
  const missing = (name: string, says: string) =>
    warning(name, says, 'A process that sends texts must have it: see docs/operators/running.md.');
  return [
    archiveKeyFile
      ? ok('ARCHIVE_KEY_FILE', archiveKeyFile)
      : missing('ARCHIVE_KEY_FILE', 'is not set: this process signs nothing'),
    archiveOutsideDir
      ? ok('ARCHIVE_OUTSIDE_DIR', archiveOutsideDir)
      : missing(
          'ARCHIVE_OUTSIDE_DIR',
          'is not set: this process keeps no checkpoints outside and can’t notice a restore',
        ),
  ];
}
