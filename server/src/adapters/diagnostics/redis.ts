import type { Config } from '../../config.ts';
import { type CheckFinding, ok, warning } from '../../domain/operations/findings.ts';

/** Without it each process goes by its own rates, so nothing fails. */
export async function checkRedis({ redisUrl, role }: Config): Promise<CheckFinding[]> {
  if (!redisUrl || role === 'work') return [];
  try {
    // Loaded on demand: other verbs start without it.
    const { pingRedis } = await import('../redis/ping.ts');
    return [ok('Redis', `it answers in ${(await pingRedis(redisUrl)).toFixed(0)} ms`)];
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    const says = `it doesn’t answer (${code ?? message}): each process goes by its own rates`;
    return [warning('Redis', says, 'Check REDIS_URL, and whether Redis runs.')];
  }
}
