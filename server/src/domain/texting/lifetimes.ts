import type { Deps } from '../../deps.ts';

const hourMs = 60 * 60 * 1000;

/** When a text that may go since `since` is too old to be sent: domain time. Where there is a pace, its life begins in its slot. */
export function endOfLife({ config }: Pick<Deps, 'config'>, since: Date): Date {
  return new Date(since.getTime() + config.textLifetimeHours * hourMs);
}
