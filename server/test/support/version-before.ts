import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { readMigrations } from '../../src/store/database/schema/migrate.ts';

/** The program as it was before the newest migration, in a folder of its own. */
export type VersionBefore = { commit: string; checkout: string; remove(): void };

const root = fileURLToPath(new URL('../../../', import.meta.url));

/** Null if there is none: no migration but the baseline, no history in this clone, or a version that needs packages that are gone. */
export function findVersionBefore(): VersionBefore | null {
  if (readMigrations().length === 1) return null;
  const newest = git('log', '-1', '--diff-filter=A', '--format=%H', '--', ':(glob)server/migrations/*.sql');
  const commit = newest && git('rev-parse', '--verify', '--quiet', `${newest}^`);
  if (!commit) return null;
  const checkout = mkdtempSync(join(tmpdir(), 'assent-before-'));
  const version = { commit: commit.slice(0, 7), checkout, remove: () => rmSync(checkout, { recursive: true }) };
  const archive = spawnSync('git', ['archive', commit], { cwd: root, maxBuffer: 2 ** 30 });
  const unpacked = spawnSync('tar', ['-x', '-C', checkout], { input: archive.stdout });
  if (archive.status !== 0 || unpacked.status !== 0 || !hasPackages(checkout)) {
    version.remove();
    return null;
  }
  mkdirSync(join(checkout, 'server'), { recursive: true });
  for (const path of ['node_modules', 'server/node_modules'])
    if (existsSync(join(root, path))) symlinkSync(join(root, path), join(checkout, path));
  return version;
}

function git(...args: string[]): string {
  return spawnSync('git', args, { cwd: root, encoding: 'utf8' }).stdout?.trim() ?? '';
}

function hasPackages(checkout: string): boolean {
  const { dependencies = {} } = JSON.parse(readFileSync(join(checkout, 'server/package.json'), 'utf8'));
  return Object.keys(dependencies).every((name) =>
    ['node_modules', 'server/node_modules'].some((path) => existsSync(join(root, path, name))),
  );
}
