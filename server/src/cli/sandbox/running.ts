import type { SandboxFile } from '../../domain/sandbox/sandbox.ts';
import { readSandboxFile } from '../../domain/sandbox/sandbox-file.ts';
import type { Runtime } from '../../runtime.ts';
import { UsageError } from '../verb.ts';

const responsesMs = 5_000;

/** The sandbox that is running, by its file. */
export async function requireSandbox({ config }: Pick<Runtime, 'config'>): Promise<SandboxFile> {
  if (config.environment !== 'sandbox') throw new UsageError('This works in a sandbox only.');
  const sandbox = readSandboxFile(config.dataDir);
  const { origin } = new URL(sandbox?.baseUrl ?? config.publicUrl);
  const response = await fetch(`${origin}/healthz`, { signal: AbortSignal.timeout(responsesMs) }).catch(() => null);
  if (!sandbox || !response?.ok) throw new UsageError(`No sandbox answers at ${origin}: start it with npm start.`);
  return sandbox;
}
