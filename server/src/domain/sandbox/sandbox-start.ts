import { mkdirSync, renameSync, writeFileSync } from 'node:fs';
import { relative } from 'node:path';
import { ConfigError } from '../../config.ts';
import type { Deps } from '../../deps.ts';
import { ProviderFault } from '../access/identity-provider.ts';
import { allScopes } from '../access/scopes.ts';
import { issueToken } from '../access/tokens.ts';
import { makeSandbox, type SandboxAdvisor, type SandboxFile } from './sandbox.ts';
import { readSandboxFile, sandboxFilePath } from './sandbox-file.ts';

export async function writeSandboxFile(deps: Deps): Promise<SandboxFile> {
  const { dataDir } = deps.config;
  const sandbox = await makeSandbox(deps, readSandboxFile(dataDir)).catch((cause) => {
    if (!(cause instanceof ProviderFault)) throw cause;
    throw new ConfigError(`OAUTH_ISSUER is "${deps.config.oauthIssuer}": ${cause.message}.`, { cause });
  });
  const path = sandboxFilePath(dataDir);
  mkdirSync(dataDir, { recursive: true, mode: 0o700 });
  // Renamed into place, so that no reader sees half of it. Several processes may start at once.
  const written = `${path}.${process.pid}.new`;
  writeFileSync(written, `${JSON.stringify(sandbox, null, 2)}\n`, { mode: 0o600 });
  renameSync(written, path);
  return sandbox;
}

/** The text shown when the sandbox is ready: where it is, and three calls to start with. */
export async function greeting(deps: Deps, sandbox: SandboxFile): Promise<string> {
  const [advisor] = sandbox.advisors;
  if (!advisor) throw new Error('The sandbox has no advisor.');
  const messages = `${sandbox.baseUrl}/text/messaging/messages`;
  const consents = `${sandbox.baseUrl}/text/messaging/consents`;
  const credentials = '-H "authorization: Bearer $TOKEN" -H "x-api-key: $KEY"';
  const body = `'{"phone": "+15005550006", "text": "Your annual review is due."}'`;
  return `
Assent's sandbox is at ${deps.config.publicUrl}

  First calls with a click      ${deps.config.publicUrl}
  Guides and reference          ${deps.config.publicUrl}/docs
  The sandbox's phones          ${deps.config.publicUrl}/handset
  The client for your code      npm i ${deps.config.publicUrl}/client.tgz
  Credentials                   ${relative(process.cwd(), sandboxFilePath(deps.config.dataDir))}
${advisorPages(deps, advisor)}
${await firstCredentials(deps, sandbox, advisor)}

curl -s ${messages} ${credentials} -H "content-type: application/json" -d ${body}
curl -s "${consents}?phone=%2B15005550006" ${credentials}
curl -s "${sandbox.baseUrl}/core/contact/contacts?search=pia" ${credentials}

Ctrl-C stops it.
`;
}

/** Empty if an identity provider signs advisors in: then our pages are off. */
function advisorPages({ config }: Deps, { email }: SandboxAdvisor): string {
  if (config.oauthIssuer) return '';
  return `  Both sides on one screen      ${config.publicUrl}/demonstration
  An advisor's texting app      ${config.publicUrl}/app (${email}, password in the same file)\n`;
}

/** The lines that set KEY and TOKEN. If tokens come from an identity provider, only it can make one. */
async function firstCredentials(deps: Deps, sandbox: SandboxFile, advisor: SandboxAdvisor): Promise<string> {
  const { apiKey, clientId } = sandbox;
  const { oauthIssuer } = deps.config;
  if (oauthIssuer)
    return `First calls, with an access token from ${oauthIssuer} in TOKEN. If it has a different client id
for the application, set it: npx --no-install assent applications set ${clientId} --external-client-id ID

KEY=${apiKey}`;
  const token = await issueToken(deps, { clientId, advisorId: advisor.id, scopes: allScopes });
  return `First calls, for ${advisor.name} (the token lasts 15 minutes; npx --no-install assent token --advisor ${advisor.email} prints a new one):

KEY=${apiKey}
TOKEN=${token}`;
}
