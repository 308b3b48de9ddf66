import { type App, type AppDeps, buildApp } from '../../src/app.ts';
import { makeSignals } from '../../src/domain/shared/signals.ts';
import { makeJudges } from '../../src/domain/supervision/judges.ts';
import type { World } from './world.ts';

/** Another node on the world's database: an app that shares only the database with the first one. */
export async function anotherNode(world: World, changes: Partial<AppDeps> = {}, build = buildApp): Promise<App> {
  const { database, clock, config, app, deps } = world;
  const pool = changes.pool ?? database.pool;
  const shared = { clock, config, log: app.log, sandboxClock: clock };
  return build({
    db: pool,
    pool,
    reserved: pool,
    carriers: deps.carriers,
    sealer: deps.sealer,
    push: deps.push,
    signals: makeSignals(),
    judges: makeJudges(),
    ...shared,
    ...changes,
  });
}

/** The headers of a call with these credentials, for a test that makes the request itself. */
export function credentials(token: string, apiKey: string): Record<string, string> {
  return { authorization: `Bearer ${token}`, 'x-api-key': apiKey };
}
