import { type App, type AppContext, buildApp } from '../../src/app.ts';
import type { Deps } from '../../src/deps.ts';
import { makeSignals } from '../../src/domain/shared/signals.ts';
import { makeScreeners } from '../../src/domain/supervision/screeners.ts';
import type { World } from './world.ts';

/** Another node on the world's database: an app that shares only the database with the first one. */
export async function anotherNode(
  world: World,
  changes: Partial<Deps & AppContext> = {},
  build = buildApp,
): Promise<App> {
  const { database, app, deps } = world;
  const pool = changes.pool ?? database.pool;
  const own = { db: pool, pool, reserved: pool, log: app.log, signals: makeSignals(), judges: makeScreeners() };
  return build({ ...deps, ...own, ...changes });
}

/** The headers of a call with these credentials, for a test that makes the request itself. */
export function credentials(token: string, apiKey: string): Record<string, string> {
  return { authorization: `Bearer ${token}`, 'x-api-key': apiKey };
}
