import { execFileSync } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const program = '/usr/bin/openssl';
export const skip = existsSync(program) ? false : `there is no ${program}`;

/** A certification authority of the test's own, made with openssl as an operator would. */
export type Authority = {
  /** The file with its certificate. */
  file: string;
  /** A key and a certificate for a host name. */
  issue(host: string): { key: string; cert: string };
  remove(): void;
};

export function makeAuthority(): Authority {
  const folder = mkdtempSync(join(tmpdir(), 'assent-ca-'));
  const path = (name: string) => join(folder, name);
  const make = (name: string, args: string[]) =>
    execFileSync(
      program,
      [
        ...['req', '-x509', '-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes', '-days', '2'],
        ...['-keyout', path(`${name}.key`), '-out', path(`${name}.pem`), '-subj', `/CN=${name}`, ...args],
      ],
      { stdio: 'ignore' },
    );
  make('ca', []);
  return {
    file: path('ca.pem'),
    issue(host) {
      const names = ['-addext', `subjectAltName=DNS:${host}`, '-addext', 'basicConstraints=critical,CA:false'];
      make('server', ['-CA', path('ca.pem'), '-CAkey', path('ca.key'), ...names]);
      return { key: readFileSync(path('server.key'), 'utf8'), cert: readFileSync(path('server.pem'), 'utf8') };
    },
    remove: () => rmSync(folder, { recursive: true, force: true }),
  };
}
