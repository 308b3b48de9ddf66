import type { Config } from '../../config.ts';
import type { SandboxFile } from '../../domain/sandbox/sandbox.ts';
import { readSandboxFile } from '../../domain/sandbox/sandbox-file.ts';
import { UsageError } from '../verb.ts';

const responsesMs = 5_000;

/** Calls one of the running sandbox's own routes, with its key. */
export async function callSandbox(config: Config, path: string, init: RequestInit = {}): Promise<Response> {
  const sandbox = readSandboxFile(config.dataDir);
  if (config.environment !== 'sandbox' || !sandbox)
    throw new UsageError(`There is no sandbox in ${config.dataDir}: run \`npm start\` first.`);
  const { origin } = new URL(sandbox.baseUrl);
  const headers = { ...init.headers, 'x-api-key': sandbox.apiKey };
  const response = await fetch(`${origin}${path}`, { ...init, headers }).catch((cause) => {
    if (init.signal?.aborted) throw cause;
    throw new UsageError(`No sandbox answers at ${origin}: run \`npm start\` first.`, { cause });
  });
  if (!response.ok) throw new Error(`${origin}${path} answered ${response.status}: ${await response.text()}`);
  return response;
}

/** The sandbox that is running, by its file. */
export async function requireSandbox({ config }: { config: Config }): Promise<SandboxFile> {
  if (config.environment !== 'sandbox') throw new UsageError('This works in a sandbox only.');
  const sandbox = readSandboxFile(config.dataDir);
  const { origin } = new URL(sandbox?.baseUrl ?? config.publicUrl);
  const response = await fetch(`${origin}/healthz`, { signal: AbortSignal.timeout(responsesMs) }).catch(() => null);
  if (!sandbox || !response?.ok) throw new UsageError(`No sandbox answers at ${origin}: start it with npm start.`);
  return sandbox;
}
