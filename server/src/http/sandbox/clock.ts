import type { FastifyInstance } from 'fastify';
import { Type } from 'typebox';
import { invalid } from '../../domain/problems.ts';
import type { SandboxClock } from '../../sandbox/sandbox-clock.ts';
import { valid, validator } from '../../schemas/shared/validate.ts';
import { parseBody, type RawBody } from '../door/body.ts';

/** RFC 3339 can't express a later time. */
const lastMs = Date.UTC(9999, 11, 31);
const Advance = Type.Object({ advanceMs: Type.Integer({ minimum: 0, maximum: lastMs }) });

/** Moving the clock is answered once `onAdvance` has handled everything that became due. */
export function addClock(app: FastifyInstance, clock: SandboxClock, onAdvance: () => Promise<void>): void {
  const validate = validator(Advance);
  const reading = () => ({ now: clock.now().getTime(), offsetMs: clock.offsetMs() });

  app.get('/sandbox/clock', { schema: { hide: true } }, async () => reading());
  app.post('/sandbox/clock', { schema: { hide: true } }, async (request) => {
    const { advanceMs } = valid(validate(parseBody(request.body as RawBody, request.headers)));
    if (clock.now().getTime() + advanceMs > lastMs)
      throw invalid([
        { path: '/advanceMs', rule: 'maximum', message: 'advanceMs must not move the clock past the year 9999.' },
      ]);
    await clock.advance(advanceMs);
    await onAdvance();
    return reading();
  });
}
