import type { Config } from '../../config.ts';
import { exposureOf } from '../../store/database/connecting/tls.ts';
import type { DatabaseFacts } from '../../store/database/schema/inspection.ts';
import { apartMsMax } from '../shared/database-clock.ts';
import { type CheckFinding, failing, ok, warning } from './findings.ts';

const clockWarnMs = 1_000;
const ntp = 'Keep the clocks of all machines right with NTP: docs/operators/running.md#clocks.';
const transactionsWarn = 1_000_000_000;
const transactionsFail = 1_800_000_000;

export function checkDatabase(facts: DatabaseFacts, config: Config, url: string): CheckFinding[] {
  const { version, answeredMs, databaseBytes, isReplica } = facts;
  const reached = `PostgreSQL ${version.split(' ')[0]} answers in ${answeredMs.toFixed(0)} ms; ${megabytes(databaseBytes)}`;
  if (isReplica)
    return [failing('database', 'it is a replica, which stores nothing', 'Set DATABASE_URL to the primary.')];
  const isProduction = config.environment === 'production';
  return [
    ok('database', reached),
    migrationsFinding(facts),
    ...triggersFindings(facts),
    ...(isProduction ? [loginFinding(facts), encryptionFinding(facts, url)] : []),
    clockFinding(facts),
    durabilityFinding(facts),
    connectionsFinding(facts, config),
    vacuumFinding(facts),
    ...(isProduction ? [walFinding(facts)] : []),
    ...citusFindings(facts),
  ];
}

/** Connections that a process with these settings opens at most: docs/operators/scale.md. */
export function connectionsOf({ role, databasePoolSize }: Config): number {
  if (role === 'work') return 18;
  return databasePoolSize + (role === 'api' ? 15 : 28);
}

function migrationsFinding({ isMember, migrations }: DatabaseFacts): CheckFinding {
  const migrate = 'Run assent migrate as the owner of the database.';
  if (!isMember)
    return failing('migrations', 'this login is not a member of assent_app', 'As a superuser: grant assent_app to it.');
  if (!migrations) return failing('migrations', 'the database was never migrated', migrate);
  const { applied, missing, changed, newer } = migrations;
  if (changed.length > 0)
    return failing(
      'migrations',
      `${changed.join(', ')} differs from what was applied`,
      'Install the released version.',
    );
  if (missing.length > 0) return failing('migrations', `${missing.length} are missing: ${missing.join(', ')}`, migrate);
  if (newer.length > 0)
    return warning(
      'migrations',
      `a newer version has added ${newer.join(', ')}; this one still runs`,
      'Replace the processes of this version.',
    );
  return ok('migrations', `${applied} applied, none missing; the version before this one still runs`);
}

/** Without them, whoever can write to the tables can change what is archived. */
function triggersFindings({ weakened }: DatabaseFacts): CheckFinding[] {
  if (!weakened) return [];
  if (weakened.length === 0) return [ok('triggers', 'all are as migrated')];
  const next =
    'Find out who did it, and run assent archive verify. As the owner, restore what server/schema.sql has: docs/operators/monitoring.md#triggers-were-weakened.';
  return [failing('triggers', weakened.join('; '), next)];
}

function loginFinding({ isMember, excess }: DatabaseFacts): CheckFinding {
  if (isMember && !excess) return ok('login', 'it has only the privileges that the server needs');
  const says = excess ?? 'it is not a member of assent_app';
  return failing(
    'login',
    says,
    'Use two logins: docs/operators/running.md#first-steps-in-production has what to paste.',
  );
}

function encryptionFinding({ isEncrypted }: DatabaseFacts, url: string): CheckFinding {
  const exposure = exposureOf(url);
  if (exposure) return warning('TLS', exposure, 'Add sslmode=verify-full to DATABASE_URL.');
  return ok('TLS', isEncrypted ? 'the connection to the database is encrypted' : 'the database is on this machine');
}

function clockFinding({ clockAheadMs, answeredMs }: DatabaseFacts): CheckFinding {
  const apartMs = Math.max(0, Math.abs(clockAheadMs) - answeredMs / 2);
  const says = `the database’s clock is ${(apartMs / 1000).toFixed(1)} s ${clockAheadMs > 0 ? 'ahead of' : 'behind'} ours`;
  if (apartMs > apartMsMax) return failing('clock', `${says}: a process here accepts and sends nothing`, ntp);
  return apartMs >= clockWarnMs ? warning('clock', says, ntp) : ok('clock', 'the database’s clock agrees with ours');
}

/** Each of them loses or damages texts that were accepted. */
function durabilityFinding({ settings }: DatabaseFacts): CheckFinding {
  const names = ['fsync', 'full_page_writes', 'synchronous_commit'] as const;
  const off = names.filter((name) => settings[name] === 'off');
  if (off.length === 0) return ok('durability', 'what is committed survives a power failure');
  const says = `${off.join(' and ')} ${off.length > 1 ? 'are' : 'is'} off: a power failure can lose accepted texts and opt-outs`;
  return failing('durability', says, `Turn ${off.join(' and ')} on in postgresql.conf.`);
}

function connectionsFinding({ connections: { used, most } }: DatabaseFacts, config: Config): CheckFinding {
  const needed = connectionsOf(config);
  const says = `${used} of ${most} are in use`;
  if (most - used >= needed) return ok('connections', says);
  return warning(
    'connections',
    `${says}; one more process with these settings may open ${needed}`,
    'Raise max_connections, or lower DATABASE_POOL_SIZE.',
  );
}

function vacuumFinding({ settings, bloated, oldestTransactions }: DatabaseFacts): CheckFinding {
  if (settings.autovacuum === 'off')
    return failing(
      'autovacuum',
      'it is off, so tables grow until the database stops',
      'Turn autovacuum on in postgresql.conf.',
    );
  const age = `the oldest row is ${Math.round(oldestTransactions / 1_000_000)} million transactions old`;
  const freeze =
    'Run vacuum freeze, and find what holds it up: pg_stat_activity, pg_prepared_xacts, replication slots.';
  if (oldestTransactions > transactionsFail) return failing('autovacuum', age, freeze);
  if (oldestTransactions > transactionsWarn) return warning('autovacuum', age, freeze);
  if (bloated.length === 0) return ok('autovacuum', 'it keeps up');
  const says = bloated.map(({ table, deadRows }) => `${table} has ${deadRows} dead rows`).join(', ');
  return warning('autovacuum', says, 'Look for transactions that stay open (pg_stat_activity), then vacuum the table.');
}

function walFinding({ walArchive }: DatabaseFacts): CheckFinding {
  const guide = 'docs/operators/backup.md has the steps.';
  if (!walArchive)
    return warning('WAL archive', 'archive_mode is off: a restore loses everything since the last backup', guide);
  const { lastArchivedAt, lastFailedAt } = walArchive;
  if (lastFailedAt && (!lastArchivedAt || lastFailedAt > lastArchivedAt))
    return failing(
      'WAL archive',
      `archiving has been failing since ${lastFailedAt.toISOString()}`,
      'PostgreSQL’s log says why.',
    );
  return lastArchivedAt
    ? { ...ok('WAL archive', `the last file was archived at ${lastArchivedAt.toISOString()}`), at: lastArchivedAt }
    : warning('WAL archive', 'nothing has been archived yet', guide);
}

/** One worker commits before the coordinator does; two or more prepare first. */
function citusFindings({ citus }: DatabaseFacts): CheckFinding[] {
  if (!citus) return [];
  const { workers, shards, unreachable } = citus;
  const says = `data is in ${shards} shards on ${workers} workers`;
  const guide = 'docs/operators/scale.md#several-postgresql-citus';
  if (unreachable.length > 0)
    return [
      failing(
        'Citus',
        `the coordinator can’t reach ${unreachable.join(', ')}: texts of its advisors wait`,
        `It has to run, and to let assent_app in from every node: ${guide}.`,
      ),
    ];
  if (workers < 2)
    return [
      failing(
        'Citus',
        `${says}: if the coordinator crashes, the archive’s tree can miss entries`,
        `Have two or more: ${guide}.`,
      ),
    ];
  if (shards < workers) return [warning('Citus', `${says}: some have none`, `Split shards: ${guide}.`)];
  return [ok('Citus', says)];
}

function megabytes(bytes: number): string {
  return bytes >= 1e9 ? `${(bytes / 1e9).toFixed(1)} GB` : `${Math.round(bytes / 1e6)} MB`;
}
