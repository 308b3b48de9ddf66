import { execFile } from 'node:child_process';
import { hash } from 'node:crypto';
import { existsSync, globSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import type { FastifyInstance } from 'fastify';
import { root } from '../../config.ts';
import { problem } from '../../domain/problems.ts';

/** The packed server brings it along; a checkout packs it when it is first asked for. */
const brought = new URL('../../client.tgz', import.meta.url);
const cache = join(root, 'node_modules/.cache/client');
const packTimeoutMs = 120_000;

let packing: Promise<Buffer> | undefined;

/** `npm i http://localhost:8080/client.tgz`: the client isn't on npm yet, and a stranger could take its name there. */
export function addClientPackage(app: FastifyInstance): void {
  app.get('/client.tgz', async (_request, reply) => {
    packing ??= readClient().finally(() => {
      packing = undefined;
    });
    return reply
      .type('application/gzip')
      .header('cache-control', 'no-cache')
      .send(await packing);
  });
}

async function readClient(): Promise<Buffer> {
  if (existsSync(brought)) return readFileSync(brought);
  const path = join(cache, `${hashOfSources()}.tgz`);
  if (!existsSync(path)) await pack(path);
  return readFileSync(path);
}

function hashOfSources(): string {
  const files = globSync(['package.json', 'tsconfig*.json', '*.md', 'src/**/*.ts'], { cwd: join(root, 'sdk') }).sort();
  return hash('sha256', files.map((file) => `${file}\n${readFileSync(join(root, 'sdk', file), 'utf8')}`).join('\n'));
}

/** Renamed into place, so that nobody gets half of it. */
async function pack(path: string): Promise<void> {
  mkdirSync(cache, { recursive: true });
  const folder = mkdtempSync(join(cache, 'packing-'));
  try {
    const args = ['pack', '--silent', '--workspace', 'sdk', '--pack-destination', folder];
    await run('npm', args, { cwd: root, timeout: packTimeoutMs });
    const [packed = ''] = readdirSync(folder);
    renameSync(join(folder, packed), path);
  } catch (cause) {
    throw problem('downstream_unavailable', 'The client can’t be packed here: run `npm ci`, then ask again.', {
      cause,
    });
  } finally {
    rmSync(folder, { recursive: true });
  }
}

const run = promisify(execFile);
