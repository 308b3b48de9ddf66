import { styleText } from 'node:util';
import { checkFolders, checkRedis } from '../../adapters/diagnostics/checks.ts';
import { ConfigError } from '../../config.ts';
import { checkDatabase } from '../../domain/operations/database-checks.ts';
import { checkRecords } from '../../domain/operations/doctor.ts';
import { type CheckFinding, failing } from '../../domain/operations/findings.ts';
import { checkSettings } from '../../domain/operations/settings-checks.ts';
import { checkWebBuild } from '../../domain/operations/web-build.ts';
import { makeLog } from '../../log.ts';
import {
  connectRuntime,
  type Database,
  explain,
  hasDatabase,
  inspect,
  openDatabase,
  type Runtime,
  requireDatabase,
} from '../../runtime.ts';
import { inOneLine } from '../terminal.ts';
import type { Call } from '../verb.ts';

type Config = Call['config'];

const colors = { ok: 'green', warning: 'yellow', failing: 'red' } as const;

/** Every check, with one line each, and what to do where something is wrong. */
export async function examine({ config, switches, json, out }: Call): Promise<void> {
  const findings = [
    ...checkSettings(config),
    ...checkWebBuild(config),
    ...(await checkFolders(config)),
    ...(await checkStored(config, out.note)),
    ...(await checkRedis(config)),
  ];
  out.exitCode = hasDatabase(config) ? exitCodeOf(findings, { strict: switches.has('strict') }) : 2;
  if (json) return out.records(findings);
  const width = Math.max(...findings.map(({ check }) => check.length));
  for (const finding of findings) for (const line of linesOf(finding, width)) out.line(line);
  out.note(summaryOf(findings));
}

/** Scripts rely on it. */
export function exitCodeOf(findings: CheckFinding[], { strict }: { strict: boolean }): number {
  return findings.some(({ state }) => state === 'failing' || (strict && state === 'warning')) ? 1 : 0;
}

/** The database, and everything in it. What can't be reached or isn't migrated has nothing more to say. */
async function checkStored(config: Config, note: (text: string) => void): Promise<CheckFinding[]> {
  let database: Database | undefined;
  try {
    requireDatabase(config);
    database = await openDatabase(config, note);
    const facts = await inspect(database);
    const findings = checkDatabase(facts, config, database.url);
    const isWhole = !facts.citus?.unreachable.length;
    const isUsable = facts.isMember && !facts.isReplica && facts.migrations?.missing.length === 0 && isWhole;
    return isUsable ? [...findings, ...(await checkContent(config, database))] : findings;
  } catch (error) {
    return [failing('database', explain(error).split('\n')[0] ?? '', 'Nothing works without it.')];
  } finally {
    await database?.stop();
  }
}

/** A file that a setting names is read only now, and the database has nothing to do with it. */
async function checkContent(config: Config, { url }: Database): Promise<CheckFinding[]> {
  let runtime: Runtime | undefined;
  try {
    runtime = await connectRuntime(config, makeLog('silent'), { url, stop: async () => {} });
    return await checkRecords(runtime);
  } catch (error) {
    if (error instanceof ConfigError)
      return [failing('settings', error.message, 'The server doesn’t start until this is corrected.')];
    if (!(error instanceof Error && 'path' in error)) throw error;
    return [failing('files', error.message, 'Let the server’s user read and write it.')];
  } finally {
    await runtime?.stop();
  }
}

function linesOf({ check, state, says, next }: CheckFinding, width: number): string[] {
  const [word, name] = [styleText(colors[state], state.padEnd(7)), check.padEnd(width)];
  const lines = [`${word}  ${name}  ${inOneLine(says)}`];
  if (next) lines.push(`${' '.repeat(9 + width)}  → ${next}`);
  return lines;
}

function summaryOf(findings: CheckFinding[]): string {
  const count = (state: CheckFinding['state']) => findings.filter((each) => each.state === state).length;
  return `${findings.length} checks: ${count('failing')} failing, ${count('warning')} warnings.`;
}
