import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Config } from '../../config.ts';
import { type CheckFinding, failing, warning } from './findings.ts';

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

export function checkWebBuild(config: Config): CheckFinding[] {
  const build = findWebBuild(config);
  if (!build || !('failed' in build)) return [];
  const next = 'Fix that, and run npm start again.';
  return existsSync(new URL('index.html', webFolder))
    ? [warning('pages', `/app and /console are those of an earlier version: ${build.failed}`, next)]
    : [failing('pages', `/app, /console and /demonstration aren’t there: ${build.failed}`, next)];
}
