import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Config } from '../../config.ts';
import { type CheckFinding, failing, ok, warning } from './findings.ts';

/** The packed server brings it along; in a checkout, scripts/build-web.ts makes it, beside the start of a server or before it. */
const brought = new URL('../../web/', import.meta.url);
export const webFolder = existsSync(brought) ? brought : new URL('../../../../web/dist/', import.meta.url);

/** Whether the app and the console are being built, or why they couldn't be: scripts/start.js notes it. Null if it notes neither. */
export function findWebBuild({ dataDir }: Pick<Config, 'dataDir'>): { isRunning: true } | { failed: string } | null {
  try {
    const { building, failed } = JSON.parse(readFileSync(join(dataDir, 'web-build.json'), 'utf8'));
    if (typeof failed === 'string') return { failed };
    // Its process may have been killed.
    process.kill(building, 0);
    return { isRunning: true };
  } catch {
    return null;
  }
}

/** What builds them, in a checkout. `npm start` does where it is what runs the server; a deployment has none of the tools that it needs. */
export function buildCommand({ environment }: Pick<Config, 'environment'>): string {
  return environment === 'production' ? 'npm install --include=dev && npm run build' : 'npm start';
}

export function checkWebBuild(config: Config, folder = webFolder): CheckFinding[] {
  const build = findWebBuild(config);
  const isThere = existsSync(new URL('index.html', folder));
  // One that only works shows no pages.
  if (config.role === 'work' || (build && 'isRunning' in build)) return [];
  const run = `run ${buildCommand(config)} in the checkout`;
  if (build) {
    const next = `Fix that, and ${run} again.`;
    return isThere
      ? [warning('pages', `/app and /console are those of an earlier version: ${build.failed}`, next)]
      : [failing('pages', `/app, /console and /demonstration aren’t there: ${build.failed}`, next)];
  }
  if (isThere) return [ok('pages', '/app and /console are built')];
  const missing = config.environment === 'production' ? failing : warning;
  return [missing('pages', '/app and /console aren’t there: they were not built', `R${run.slice(1)}.`)];
}
