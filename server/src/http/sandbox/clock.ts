import type { FastifyInstance } from 'fastify';
import { Type } from 'typebox';
import type { SandboxClock } from '../../domain/clock.ts';
import { invalid } from '../../domain/problems.ts';
import { validator } from '../../schemas/validate.ts';
import { parseBody, type RawBody } from '../body.ts';

/** A century: further than any schedule reaches, and dates stay within what PostgreSQL and JavaScript can hold. */
const advanceMsMax = 100 * 366 * 24 * 60 * 60 * 1000;
const Advance = Type.Object({ advanceMs: Type.Integer({ minimum: 0, maximum: advanceMsMax }) });

export function addClock(app: FastifyInstance, clock: SandboxClock): void {
  const validate = validator(Advance);
  const reading = () => ({ now: clock.now().getTime(), offsetMs: clock.offsetMs() });

  app.get('/sandbox/clock', { schema: { hide: true } }, async () => reading());
  app.post('/sandbox/clock', { schema: { hide: true } }, async (request) => {
    const result = validate(parseBody(request.body as RawBody, request.headers));
    if ('broken' in result) throw invalid(result.broken);
    await clock.advance(result.value.advanceMs);
    return reading();
  });
}
