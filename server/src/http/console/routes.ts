import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { Deps } from '../../deps.ts';
import type { PoolShares } from '../../domain/access/pool-shares.ts';
import type { StaffRole } from '../../domain/accounts/staff.ts';
import { byStaff } from '../../domain/archive/archive.ts';
import { problem } from '../../domain/problems.ts';
import { type FairQueue, makeFairQueue } from '../../domain/shared/fair-queue.ts';
import { isFresh, type StaffSession } from '../../domain/sign-in/sessions.ts';
import { requireOwnPage } from '../browser/forms.ts';
import { addPagesIn } from '../browser/queued-pages.ts';
import { readRawBody } from '../door/body.ts';
import { heldMsMax } from '../door/checks.ts';
import { addPassage } from '../door/door.ts';
import { inputValidator } from '../door/input.ts';
import type { LongWork } from '../door/long-work.ts';
import { overloaded } from '../door/rate-limit.ts';
import type { Input, Route } from '../door/route.ts';
import * as archive from './archive.ts';
import type { ConsoleEndpoint } from './endpoint.ts';
import * as archiveExports from './exports.ts';
import * as holds from './holds.ts';
import { addConsoleInvitation } from './invitation.ts';
import * as lexicon from './lexicon.ts';
import { operatorTable } from './operator-routes.ts';
import * as overview from './overview.ts';
import * as people from './people.ts';
import * as report from './report.ts';
import * as reviews from './reviews.ts';
import { addSecurity } from './security.ts';
import { addConsoleSignIn } from './sign-in.ts';
import * as staff from './staff.ts';
import { requireStaff, type StaffVisits, staffVisits } from './staff-visits.ts';
import * as wordings from './wordings.ts';

export const consoleApiPath = '/console/api';

type ConsoleRoute = {
  method: Route['method'];
  path: string;
  roles: readonly StaffRole[];
  endpoint: ConsoleEndpoint;
};

const officers = ['compliance_officer'] as const;
const firmStaff = ['reviewer', 'compliance_officer'] as const;

/** The console as a table, a line per endpoint: who may call it stands here and nowhere else. */
// biome-ignore format: a table
const table: [Route['method'], string, readonly StaffRole[], ConsoleEndpoint][] = [
  ['GET',  '/overview',                            firmStaff, overview.show],
  ['GET',  '/reviews',                             firmStaff, reviews.list],
  ['GET',  '/reviews/counts',                      firmStaff, reviews.counts],
  ['GET',  '/reviews/reviewers',                   firmStaff, reviews.reviewers],
  ['GET',  '/reviews/waiting',                     firmStaff, reviews.waiting],
  ['POST', '/reviews/decisions',                   firmStaff, reviews.decideAll],
  ['POST', '/reviews/undo',                        firmStaff, reviews.undo],
  ['GET',  '/reviews/:reviewId',                   firmStaff, reviews.get],
  ['POST', '/reviews/:reviewId/decision',          firmStaff, reviews.decide],
  ['POST', '/reviews/:reviewId/notes',             firmStaff, reviews.note],
  ['POST', '/reviews/:reviewId/text',              firmStaff, reviews.reveal],
  ['GET',  '/reviews/:reviewId/media/:replyNumber/:place', firmStaff, reviews.media],
  ['PUT',  '/reviews/:reviewId/assignee',          firmStaff, reviews.assign],
  ['PUT',  '/reviews/:reviewId/escalation',        firmStaff, reviews.escalate],
  ['GET',  '/lexicon',                             officers,  lexicon.get],
  ['PUT',  '/lexicon',                             officers,  lexicon.set],
  ['POST', '/lexicon/dry-run',                     officers,  lexicon.dryRun],
  ['POST', '/lexicon/trial',                       officers,  lexicon.trial],
  ['GET',  '/report',                              officers,  report.show],
  ['GET',  '/firm/advisors',                       firmStaff, people.advisors],
  ['POST', '/people/search',                       firmStaff, people.search],
  ['GET',  '/people/:advisorId/:memberId/consent', firmStaff, people.consent],
  ['POST', '/archive/search',                      firmStaff, archive.search],
  ['POST', '/archive/searches',                    firmStaff, archive.save],
  ['GET',  '/archive/searches/:searchId',          firmStaff, archive.saved],
  ['GET',  '/archive/:advisorId/:number',          firmStaff, archive.entry],
  ['POST', '/archive/:advisorId/:number/text',     firmStaff, archive.read],
  ['GET',  '/archive/:advisorId/:number/proof',    firmStaff, archive.proof],
  ['GET',  '/holds',                               officers,  holds.list],
  ['POST', '/holds',                               officers,  holds.add],
  ['POST', '/holds/:holdId/lift',                  officers,  holds.lift],
  ['GET',  '/retention',                           officers,  holds.retention],
  ['PUT',  '/retention',                           officers,  holds.setYears],
  ['GET',  '/retention/due',                       officers,  holds.due],
  ['GET',  '/exports',                             officers,  archiveExports.list],
  ['POST', '/exports',                             officers,  archiveExports.start],
  ['GET',  '/exports/confirm',                     officers,  archiveExports.confirm],
  ['GET',  '/exports/:exportId/file',              officers,  archiveExports.file],
  ['GET',  '/exports/verify.mjs',                  officers,  archiveExports.verifier],
  ['GET',  '/wordings',                            officers,  wordings.list],
  ['PUT',  '/wordings',                            officers,  wordings.set],
  ['GET',  '/staff',                               officers,  staff.list],
  ['POST', '/staff',                               officers,  staff.inviteNew],
  ['PUT',  '/staff/:staffId',                      officers,  staff.set],
  ['POST', '/staff/:staffId/invite',               officers,  staff.invite],
];

export const consoleRoutes: ConsoleRoute[] = [...table, ...operatorTable].map(([method, path, roles, endpoint]) => ({
  method,
  path: consoleApiPath + path,
  roles,
  endpoint,
}));

const signInAgain = 'Sign in again first: this gives access or records away, so we need to confirm it’s you.';

/** How many requests of firms are answered at once, and how many of one: a firm that asks for much waits in a line of its own. */
const firmsAtOnce = { width: 40, share: 4 };

/** The console: where the staff of firms and of the deployment sign in, and what its pages call. */
export function addConsole(
  app: FastifyInstance,
  deps: Deps,
  { share, longWork, visits }: { share: PoolShares; longWork: LongWork; visits: FairQueue },
): void {
  const visiting = staffVisits(deps);
  addPagesIn(visits, app, (scope) => {
    addConsoleInvitation(scope, visiting);
    addConsoleSignIn(scope, visiting);
    addSecurity(scope, visiting);
  });
  addConsoleApi(app, visiting, { share, longWork });
}

/** What the pages of the console call. Who calls is known by their session, and what they may by their role. */
function addConsoleApi(
  app: FastifyInstance,
  visits: StaffVisits,
  { share, longWork }: { share: PoolShares; longWork: LongWork },
): void {
  const { deps } = visits;
  const turns = makeFairQueue({ ...firmsAtOnce, tooMany: overloaded });
  addConsoleSession(app, visits);
  for (const { method, path, roles, endpoint } of consoleRoutes) {
    const validate = inputValidator({ method, ...endpoint }, true);

    async function respond(request: FastifyRequest, reply: FastifyReply): Promise<void> {
      let admittedMs = 0;
      let input: Input | null = null;
      async function admit(): Promise<StaffSession> {
        const staff = await requireStaff(visits, request);
        if (method !== 'GET') requireOwnPage(visits.forms, request);
        requireRole(staff, roles, endpoint);
        if (endpoint.isFresh === true || (input && (await endpoint.isFresh?.(deps, staff, input))))
          requireFresh(deps, staff);
        admittedMs = performance.now();
        return staff;
      }
      /** Their session, their role or the minutes after they signed in may have ended while the request was held up. */
      const admitAgain = async () => {
        if (performance.now() - admittedMs > heldMsMax) await admit();
      };

      const staff = await admit();
      const body = endpoint.body ? await readRawBody(request.raw) : Buffer.alloc(0);
      await admitAgain();
      input = validate(request, body);
      if (typeof endpoint.isFresh === 'function') await admit();
      const leave = staff.firmId === null ? undefined : await turns.enter(String(staff.firmId));
      const who = `firm ${staff.firmId}`;
      const act = async () => (endpoint.isLong ? longWork(deps, { reply, who }, answer) : answer(deps));
      const answer = async (given: Deps) => {
        await admitAgain();
        const ofConsole = { ...given, db: share(`console ${staff.firmId}`, endpoint.cost ?? 1, admitAgain) };
        return endpoint.handler(ofConsole, staff, input as Input, byStaff(staff.staffId, request.id));
      };
      const result = await (method === 'GET' ? act() : deps.signals.resetGuard.run(act)).finally(leave);
      await send(reply, result);
    }

    addPassage(app, { method, path }, [], respond);
  }
}

function requireRole({ role, firmId }: StaffSession, roles: readonly StaffRole[], { of }: ConsoleEndpoint): void {
  const isOfFirm = of !== 'firm' || firmId !== null;
  if (!roles.includes(role) || !isOfFirm) throw problem('forbidden', 'Your role doesn’t allow this.');
}

function requireFresh(deps: Deps, staff: StaffSession): void {
  // The page asks for that in another window, and goes on.
  if (!isFresh(deps, staff)) throw problem('forbidden', signInAgain, { details: { freshSignIn: true } });
}

async function send(reply: FastifyReply, result: unknown): Promise<void> {
  if (typeof result === 'function') return result(reply);
  reply.header('cache-control', 'no-store');
  if (result === undefined) void reply.code(204).send();
  else void reply.type('application/json; charset=utf-8').send(JSON.stringify(result));
}

/** Who is signed in, and what time it is in the domain. */
function addConsoleSession(app: FastifyInstance, visits: StaffVisits): void {
  const { deps, forms } = visits;
  addPassage(app, { method: 'GET', path: `${consoleApiPath}/session` }, [], async (request, reply) => {
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
