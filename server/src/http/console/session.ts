import type { FastifyInstance } from 'fastify';
import { addPassage } from '../door/door.ts';
import { requireStaff, type StaffVisits } from './staff-visits.ts';

/** Who is signed in, and what time it is in the domain. */
export function addConsoleSession(app: FastifyInstance, visits: StaffVisits): void {
  const { deps, forms } = visits;
  addPassage(app, { method: 'GET', path: '/console/api/session' }, [], async (request, reply) => {
    const { staffId, firmId, firmName, name, email, role } = await requireStaff(visits, request);
    const session = {
      staff: { staffId, firmId, firmName, name, email, role },
      environment: deps.config.environment,
      formToken: forms.token(request, reply),
      now: deps.clock.now().getTime(),
    };
    reply.header('cache-control', 'no-store').type('application/json; charset=utf-8').send(JSON.stringify(session));
  });
}
