import type { Deps } from '../../deps.ts';

const hourMs = 60 * 60 * 1000;

/** When a text that may go since `since` is too old to be sent: domain time. Where there is a pace, its life begins in its slot. */
export function endOfLife({ config }: Pick<Deps, 'config'>, since: Date): Date {
  return new Date(since.getTime() + config.textLifetimeHours * hourMs);
}

/**
 * The same for a text that could go before, and now waits until another day. Only the wait is added: with a new life each night, a
 * text that no carrier takes would never be too old.
 */
export function endOfLifeAfter({ from, until }: { from: Date; until: Date }, end: Date): Date {
  return new Date(end.getTime() + until.getTime() - from.getTime());
}
