import { mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import type { Deps } from './deps.ts';
import { makeSandbox, type SandboxFile } from './domain/sandbox.ts';
import { allScopes } from './domain/scopes.ts';
import { issueToken } from './domain/tokens.ts';

type Sandboxed = Deps & { config: { dataDir: string } };

export function sandboxFilePath(dataDir: string): string {
  return join(dataDir, 'sandbox.json');
}

export function readSandboxFile(dataDir: string): SandboxFile | null {
  try {
    return JSON.parse(readFileSync(sandboxFilePath(dataDir), 'utf8'));
  } catch {
    return null;
  }
}

/** Makes what the sandbox lacks and writes down how to use it. */
export async function writeSandboxFile(deps: Sandboxed): Promise<SandboxFile> {
  const { dataDir } = deps.config;
  const sandbox = await makeSandbox(deps, readSandboxFile(dataDir));
  const path = sandboxFilePath(dataDir);
  mkdirSync(dataDir, { recursive: true });
  // Moved into place whole: whoever reads it never sees half of it.
  writeFileSync(`${path}.new`, `${JSON.stringify(sandbox, null, 2)}\n`, { mode: 0o600 });
  renameSync(`${path}.new`, path);
  return sandbox;
}

/** What a person sees when the sandbox is ready: where it is, and three calls to begin with. */
export async function greeting(deps: Sandboxed, sandbox: SandboxFile): Promise<string> {
  const [advisor] = sandbox.advisors;
  if (!advisor) throw new Error('The sandbox has no advisor.');
  const token = await issueToken(deps, { clientId: sandbox.clientId, advisorId: advisor.id, scopes: allScopes });
  const contacts = `${sandbox.baseUrl}/core/contact/contacts`;
  const credentials = '-H "authorization: Bearer $TOKEN" -H "x-api-key: $KEY"';
  const body = `'{"firstName": "Ann", "lastName": "Smith", "phone": "+12125550123"}'`;
  return `
Assent's sandbox is at ${deps.config.publicUrl}

  Reference with calls to try   ${deps.config.publicUrl}/docs
  Credentials                   ${relative(process.cwd(), sandboxFilePath(deps.config.dataDir))}

First calls, for ${advisor.name} (the token lasts 15 minutes; npm run -s assent -- token --advisor ${advisor.email} prints a fresh one):

KEY=${sandbox.apiKey}
TOKEN=${token}

curl -s "${contacts}?search=pia" ${credentials}
curl -s ${contacts} ${credentials} -H "content-type: application/json" -d ${body}
curl -s "${contacts}?phone=%2B12125550123" ${credentials}

Ctrl-C stops it.
`;
}
