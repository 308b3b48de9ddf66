import { spawn, spawnSync } from 'node:child_process';
import { appendFileSync, chmodSync, chownSync, existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { freePort } from './programs.ts';
import { until } from './waiting.ts';

export const bin = '/usr/lib/postgresql/15/bin';
export const skip = existsSync(`${bin}/postgres`) ? false : `there is no ${bin}/postgres`;

/** Debian's PostgreSQL 15, as an operator may have it: logins have passwords, and a superuser has psql. */
export type DebianPostgres = {
  port: number;
  /** Where a login connects over TCP. */
  url(login: string, database: string, host?: string): string;
  /** What a superuser pastes into psql, which is connected to a database that isn't ours. */
  paste(text: string): void;
  /** Replaces the line of pg_hba.conf for logins over TCP. */
  setEntry(line: string): void;
  stop(): Promise<void>;
};

/** Every login of the tests has it. */
const password = 'a password';

export async function startDebianPostgres(tls?: { key: string; cert: string }): Promise<DebianPostgres> {
  const folder = mkdtempSync(join(tmpdir(), 'assent-debian-'));
  const user = postgresUser();
  chmodSync(folder, 0o711);
  const data = join(folder, 'data');
  const own = (path: string) => user && chownSync(path, user.uid, user.gid);
  own(folder);
  const run = { ...user, cwd: folder, env: { LC_ALL: 'C', PATH: '/usr/bin:/bin' } };
  const made = spawnSync(
    `${bin}/initdb`,
    ['-D', data, '-U', 'postgres', '-E', 'UTF8', '--locale=C', '--auth=trust', '-N'],
    run,
  );
  if (made.status !== 0) throw new Error(`initdb failed: ${made.stderr}`);
  const writeEntry = (line: string) => writeFileSync(join(data, 'pg_hba.conf'), `local all all trust\n${line}\n`);
  writeEntry('host all all all scram-sha-256');
  if (tls)
    for (const [name, text] of Object.entries({ 'server.key': tls.key, 'server.crt': tls.cert })) {
      writeFileSync(join(data, name), text, { mode: 0o600 });
      own(join(data, name));
    }
  const port = await freePort();
  const settings = { port, listen_addresses: "'localhost'", unix_socket_directories: `'${folder}'`, fsync: 'off' };
  for (const [name, value] of Object.entries({ ...settings, ssl: tls ? 'on' : 'off' }))
    appendFileSync(join(data, 'postgresql.conf'), `${name} = ${value}\n`);
  const server = spawn(`${bin}/postgres`, ['-D', data], { ...run, stdio: 'ignore' });
  const ended = new Promise((resolve) => server.once('close', resolve));
  // Without a terminal, in a session of its own, psql asks for passwords on stdin.
  const psqlArgs = ['-X', '-v', 'ON_ERROR_STOP=1', '-h', folder, '-p', String(port), '-U', 'postgres'];
  const psql = (input: string) =>
    spawnSync('setsid', ['--wait', `${bin}/psql`, ...psqlArgs], { input, encoding: 'utf8' });
  await until('PostgreSQL 15 answers', () => psql('select 1').status === 0, undefined, 100);
  return {
    port,
    url: (login, database, host = 'localhost') =>
      `postgres://${login}:${encodeURIComponent(password)}@${host}:${port}/${database}`,
    paste(text) {
      const { status, stderr } = psql(text);
      if (status !== 0) throw new Error(`psql refused it: ${stderr}`);
    },
    setEntry(line) {
      writeEntry(line);
      psql('select pg_reload_conf()');
    },
    async stop() {
      server.kill('SIGINT');
      await ended;
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

/** A login with the password that `url` has. */
export function createLogin(name: string): string {
  return `create role ${name} login password '${password}';\n`;
}

/** What a message tells a superuser to paste: its indented lines. */
export function pastedFrom(message: string): string {
  return message.replaceAll(/^(?! {2}).*\n?/gm, '').replaceAll(/^ {2}/gm, '');
}

/** psql asks for a new password twice. */
export const passwordTwice = `${password}\n${password}\n`;

/** Whom PostgreSQL runs as if the tests run as root. */
export function postgresUser(): { uid: number; gid: number } | undefined {
  if (process.getuid?.() !== 0) return undefined;
  const [uid, gid] = ['-u', '-g'].map((flag) => Number(spawnSync('id', [flag, 'postgres']).stdout.toString()));
  return { uid: uid ?? 0, gid: gid ?? 0 };
}
