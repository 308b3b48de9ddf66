// Somebody who has never been on this machine: an ordinary user with an empty home, the system's programs and the oldest Node.js that we
// promise, with the npm that comes with it. Nothing of our shell, of npm around us or of an earlier installation helps them.
import { type ChildProcess, execFileSync, type SpawnOptions, spawn } from 'node:child_process';
import { chmodSync, copyFileSync, cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

export type Stranger = {
  /** Theirs, and their home. */
  folder: string;
  nodeVersion: string;
  launch(
    program: string,
    args: string[],
    options: Pick<SpawnOptions, 'cwd' | 'detached' | 'stdio'> & { PORT?: string },
  ): ChildProcess;
  /** Runs a script of theirs in bash. Its output, and in an error what it said before. */
  run(script: string, cwd: string): Promise<string>;
  /** What we have put into their folder becomes theirs. */
  takes(path: string): void;
  remove(): void;
};

const runtimes = fileURLToPath(new URL('../sdk/test/runtimes', import.meta.url));
const system = '/usr/local/bin:/usr/bin:/bin';
/** How npm gets to its registry from this machine. */
const npmSettings = ['registry', 'cafile', 'proxy', 'https-proxy', 'noproxy'];

export function makeStranger(): Stranger {
  const folder = mkdtempSync(join(tmpdir(), 'assent-stranger-'));
  const bin = join(folder, 'bin');
  mkdirSync(bin);
  const node = join(bin, 'node');
  const oldest = oldestPrograms();
  copyFileSync(join(oldest, `node-linux-${process.arch}`, 'bin/node'), node);
  // The npm that comes with that Node.js, which is not the one around us.
  const npm = join(folder, 'npm');
  cpSync(join(oldest, 'npm'), npm, { recursive: true });
  for (const name of ['npm', 'npx']) program(join(bin, name), `exec "${node}" "${npm}/bin/${name}-cli.js" "$@"`);
  writeFileSync(join(folder, '.npmrc'), npmSettings.flatMap(npmSetting).join(''));

  const owner = ordinaryUser();
  const takes = (path: string) =>
    owner &&
    execFileSync('chown', ['-R', `${owner.uid}:${owner.gid}`, path], { stdio: ['ignore', 'ignore', 'inherit'] });
  takes(folder);
  const env = { HOME: folder, TERM: 'xterm', PATH: `${bin}:${system}` };

  const launch: Stranger['launch'] = (name, args, { PORT, ...options }) =>
    spawn(name, args, { ...options, ...owner, env: { ...env, ...(PORT && { PORT }) } });

  return {
    folder,
    nodeVersion: execFileSync(node, ['--version'], { encoding: 'utf8' }).trim(),
    launch,
    async run(script, cwd) {
      const child = launch('bash', ['-euo', 'pipefail', '-c', script], { cwd, stdio: ['ignore', 'pipe', 'pipe'] });
      const said = { stdout: '', stderr: '' };
      for (const name of ['stdout', 'stderr'] as const)
        child[name]?.setEncoding('utf8').on('data', (text) => {
          said[name] += text;
        });
      const code = await new Promise((resolve) => child.once('close', resolve));
      if (code !== 0) throw new Error(`${script}\nended with ${code}: ${said.stdout}${said.stderr}`);
      return said.stdout;
    },
    takes,
    remove: () => rmSync(folder, { recursive: true, force: true, maxRetries: 10 }),
  };

  function program(path: string, line: string): void {
    writeFileSync(path, `#!/bin/sh\n${line}\n`);
    chmodSync(path, 0o755);
  }
}

/** The folder of the oldest Node.js and its npm. Also the client is tested on it. */
function oldestPrograms(): string {
  execFileSync('npm', ['ci', '--silent'], { cwd: runtimes, stdio: ['ignore', 'ignore', 'inherit'] });
  return join(runtimes, 'node_modules');
}

function npmSetting(name: string): string[] {
  const value = execFileSync('npm', ['config', 'get', name], { encoding: 'utf8' }).trim();
  return value === 'null' || value === '' ? [] : [`${name}=${value}\n`];
}

/** Root tries it as somebody else. */
function ordinaryUser(): { uid: number; gid: number } | undefined {
  if (process.getuid?.() !== 0) return undefined;
  const line = readFileSync('/etc/passwd', 'utf8')
    .split('\n')
    .find((each) => each.startsWith('nobody:'));
  const [, , uid, gid] = String(line).split(':');
  return { uid: Number(uid), gid: Number(gid) };
}
