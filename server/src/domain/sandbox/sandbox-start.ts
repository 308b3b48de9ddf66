import { mkdirSync, renameSync, writeFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { root } from '../../config.ts';
import type { Deps } from '../../deps.ts';
import { makeSandbox, type SandboxFile } from './sandbox.ts';
import { readSandboxFile, sandboxFilePath } from './sandbox-file.ts';

export async function writeSandboxFile(deps: Deps): Promise<SandboxFile> {
  const { dataDir } = deps.config;
  const sandbox = await makeSandbox(deps, readSandboxFile(dataDir));
  const path = sandboxFilePath(dataDir);
  mkdirSync(dataDir, { recursive: true, mode: 0o700 });
  // Renamed into place, so that no reader sees half of it. Several processes may start at once.
  const written = `${path}.${process.pid}.new`;
  writeFileSync(written, `${JSON.stringify(sandbox, null, 2)}\n`, { mode: 0o600 });
  renameSync(written, path);
  return sandbox;
}

/** What a terminal shows once the sandbox is ready: where it is, and one call that can be pasted. */
export function greeting({ config }: Pick<Deps, 'config'>, { baseUrl, advisors: [advisor] }: SandboxFile): string {
  const { publicUrl } = config;
  const file = fromHere(sandboxFilePath(config.dataDir));
  // A command looks into the usual folder, unless it is told otherwise.
  const folder = config.dataDir === join(root, '.assent') ? '' : `ASSENT_DATA_DIR=${config.dataDir} `;
  return `
Assent's sandbox is at ${publicUrl}

  Both sides on one screen    ${publicUrl}/demonstration
  An advisor's texting app    ${publicUrl}/app
  First calls with a click    ${publicUrl}
  Guides and reference        ${publicUrl}/docs
  The sandbox's phones        ${publicUrl}/handset
  Credentials                 ${file}

A first text, from a second terminal in this folder:

KEY=$(node -p "JSON.parse(fs.readFileSync('${file}')).apiKey")
TOKEN=$(${folder}npx --no-install assent token --advisor ${advisor?.email})
curl -s ${baseUrl}/text/messaging/messages -H "authorization: Bearer $TOKEN" -H "x-api-key: $KEY" \\
  -H "content-type: application/json" -d '{"phone": "+15005550006", "text": "Your annual review is due."}'

Ctrl-C stops it.
`;
}

function fromHere(path: string): string {
  const short = relative(process.cwd(), path);
  return short.startsWith('..') ? path : short;
}
