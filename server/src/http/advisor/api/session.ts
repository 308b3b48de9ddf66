import type { FastifyInstance, FastifyRequest } from 'fastify';
import { getAccount } from '../../../domain/accounts/advisors.ts';
import { findSignature } from '../../../domain/conversations/signatures.ts';
import { latestCursor } from '../../../domain/events/events.ts';
import { problem } from '../../../domain/problems.ts';
import type { Session } from '../../../domain/sign-in/sessions.ts';
import { addPassage } from '../../door/door.ts';
import type { Visits } from '../visits.ts';

/** Who is signed in, what time it is in the domain, and where the events begin that the app hasn't seen. */
export function addSession(app: FastifyInstance, visits: Visits): void {
  const { deps, forms } = visits;
  addPassage(app, { method: 'GET', path: '/app/api/session' }, [], async (request, reply) => {
    const { advisorId, email } = await requireSession(visits, request);
    const [account, signature, cursor] = await Promise.all([
      getAccount(deps, advisorId),
      findSignature(deps, advisorId),
      latestCursor(deps, advisorId),
    ]);
    reply
      .header('cache-control', 'no-store')
      .type('application/json; charset=utf-8')
      .send(
        JSON.stringify({
          advisor: { ...account, email },
          signature,
          environment: deps.config.environment,
          formToken: forms.token(request, reply),
          now: deps.clock.now().getTime(),
          cursor,
        }),
      );
  });
}

export async function requireSession({ sessionOf }: Visits, request: FastifyRequest): Promise<Session> {
  const session = await sessionOf(request);
  if (!session) throw problem('unauthorized', 'You aren’t signed in: sign in again.');
  return session;
}
