import type { SandboxClock } from '../../domain/ports.ts';
import { invalid } from '../../domain/problems.ts';
import { ClockAdvance, ClockReading, lastMs } from '../../schemas/sandbox/clock.ts';
import { type SandboxRoute, sandboxRoute } from './route.ts';

/** Moving the clock is answered once `onAdvance` has handled everything that became due. */
export function clockRoutes(clock: SandboxClock, onAdvance: () => Promise<void>): SandboxRoute[] {
  const reading = () => ({ now: clock.now().getTime(), offsetMs: clock.offsetMs() });
  return [
    sandboxRoute({
      method: 'GET',
      path: '/sandbox/clock',
      summary: 'Get clock',
      description:
        'The time that schedules, quiet hours, consent and the times in responses go by. Tokens, usage plans and idempotency go by real time.',
      response: ClockReading,
      handler: async () => reading(),
    }),
    sandboxRoute({
      method: 'POST',
      path: '/sandbox/clock',
      summary: 'Advance clock',
      description: 'Moves the time forward. The response comes once everything that became due has been handed on.',
      body: ClockAdvance,
      response: ClockReading,
      async handler({ body: { advanceMs } }) {
        if (clock.now().getTime() + advanceMs > lastMs)
          throw invalid([
            { path: '/advanceMs', rule: 'maximum', message: 'advanceMs must not move the clock past the year 9999.' },
          ]);
        await clock.advance(advanceMs);
        await onAdvance();
        return reading();
      },
    }),
  ];
}
