import type { FastifyInstance, FastifyRequest } from 'fastify';
import { type Caller, ownApp } from '../../../domain/access/callers.ts';
import { idempotency } from '../../../domain/access/idempotency.ts';
import type { LoadShedder } from '../../../domain/access/load-shedder.ts';
import type { PoolShares } from '../../../domain/access/pool-shares.ts';
import { allScopes } from '../../../domain/access/scopes.ts';
import { getMedia } from '../../../domain/conversations/conversation-items.ts';
import { problem } from '../../../domain/problems.ts';
import { type FairQueue, makeFairQueue } from '../../../domain/shared/fair-queue.ts';
import type { Session } from '../../../domain/sign-in/sessions.ts';
import { Type } from '../../../schemas/shared/type.ts';
import { requireOwnPage } from '../../browser/forms.ts';
import { sendMedia } from '../../browser/media.ts';
import { type Check, callerOf, setCaller, stillAllowed } from '../../door/checks.ts';
import { addPassage } from '../../door/door.ts';
import type { LongWork } from '../../door/long-work.ts';
import { overloaded } from '../../door/rate-limit.ts';
import { responder } from '../../door/responses.ts';
import type { Endpoint, Route } from '../../door/route.ts';
import { makeWaitingRoom } from '../../door/waiting-room.ts';
import type { Visits } from '../visits.ts';
import { describeSession } from './app-session.ts';
import * as broadcasts from './broadcasts.ts';
import * as calendar from './calendar.ts';
import { addContactFiles } from './contact-files.ts';
import * as contacts from './contacts.ts';
import * as conversations from './conversations.ts';
import { addEventStream } from './event-stream.ts';
import * as imports from './imports.ts';
import * as savedReplies from './saved-replies.ts';
import * as signatures from './signatures.ts';
import * as wordings from './wordings.ts';

export const appApiPath = '/app/api';

/** What the app needs besides the partner's operations. */
// biome-ignore format: a table
export const ownOperations: [Route['method'], Route['path'], Endpoint][] = [
  ['GET',  '/conversations',                 conversations.list],
  ['GET',  '/conversations/:memberId',        conversations.get],
  ['GET',  '/conversations/:memberId/items',  conversations.listItems],
  ['GET',  '/conversations/:memberId/evidence', conversations.listEvidence],
  ['POST', '/conversations/:memberId/read',   conversations.read],
  ['POST', '/conversations/:memberId/done',   conversations.done],
  ['POST', '/conversations/:memberId/snooze', conversations.snooze],
  ['PUT',  '/conversations/:memberId/draft',  conversations.draft],
  ['GET',  '/search',                         conversations.search],
  ['GET',  '/saved-replies',                  savedReplies.list],
  ['POST', '/saved-replies',                  savedReplies.create],
  ['PUT',  '/saved-replies/:savedReplyId',    savedReplies.update],
  ['DELETE', '/saved-replies/:savedReplyId',  savedReplies.remove],
  ['GET',  '/calendar',                       calendar.list],
  ['GET',  '/contacts',                       contacts.list],
  ['GET',  '/contacts/counts',                contacts.counts],
  ['GET',  '/groups',                         contacts.listGroups],
  ['PUT',  '/groups/:groupId',                contacts.renameGroup],
  ['POST', '/groups/:groupId/members',        contacts.setMembers],
  ['GET',  '/deletes',                        contacts.waitingDeletes],
  ['POST', '/deletes',                        contacts.remove],
  ['POST', '/deletes/:actionId/undo',         contacts.undo],
  ['PUT',  '/signature',                      signatures.set],
  ['GET',  '/wordings',                       wordings.list],
  ['POST', '/broadcasts/check',               broadcasts.check],
  ['POST', '/broadcasts/preview',             broadcasts.preview],
  ['POST', '/broadcasts',                     broadcasts.start],
  ['POST', '/broadcasts/consent/check',       broadcasts.checkConsent],
  ['POST', '/broadcasts/consent',             broadcasts.startConsent],
  ['GET',  '/broadcasts',                     broadcasts.list],
  ['GET',  '/broadcasts/:broadcastId',        broadcasts.get],
  ['GET',  '/broadcasts/:broadcastId/recipients', broadcasts.listRecipients],
  ['POST', '/broadcasts/:broadcastId/stop',   broadcasts.stop],
  ['GET',  '/imports',                        imports.get],
  ['POST', '/imports/:importId/start',        imports.start],
  ['POST', '/imports/:importId/stop',         imports.stop],
  ['DELETE', '/imports/:importId',            imports.dismiss],
];

/** The app gets what a handler returns, and 204 for nothing. A date goes as its milliseconds. */
const jsonResponse = {
  response: Type.Object({}),
  write: (result: unknown) => JSON.stringify(result, inMilliseconds),
};

/** `value` is what a date's own toJSON made of it. */
function inMilliseconds(this: Record<string, unknown>, key: string, value: unknown): unknown {
  const given = this[key];
  return given instanceof Date ? given.getTime() : value;
}

/** How many requests are answered at once, and how many of one advisor: as many as a browser sends. More wait in a line of their own. */
const advisorsAtOnce = { width: 200, share: 6 };

export type OwnAdmission = { share: PoolShares; longWork: LongWork; shedder: LoadShedder };

/**
 * The advisor's own app: every operation of the partner's table, by the same endpoints and so with the same outcomes, and what only
 * the app needs. Who calls is known by their session. There is no usage plan: advisors take turns, and one has half of the places at most.
 */
export function addAdvisorApi(
  app: FastifyInstance,
  visits: Visits,
  { share, longWork, shedder }: OwnAdmission,
  partnerRoutes: Route[],
): void {
  const { deps } = visits;
  const signedIn = (request: FastifyRequest) => signIn(visits, request);
  const turnOf = ({ advisorId }: Caller) => `app ${advisorId}`;
  const room = makeWaitingRoom();
  const responses = { deps, share, turnOf, respondOnce: idempotency(), room, longWork, authenticated: signedIn };
  const rows: Route[] = [
    ...partnerRoutes.map((row) => ({ ...row, path: `${appApiPath}/v1${row.path}` })),
    ...ownOperations.map(([method, path, endpoint]) => ({
      method,
      path: appApiPath + path,
      scope: 'any' as const,
      ...jsonResponse,
      ...endpoint,
    })),
  ];
  const turns = makeFairQueue({ ...advisorsAtOnce, tooMany: overloaded });
  const checks = [signedIn, (request: FastifyRequest) => enter(shedder, turns, request)];
  for (const row of rows) addPassage(app, row, checks, responder(row, responses));
  addSession(app, visits);
  addContactFiles(app, visits, { checks, longWork, admit: stillAllowed(signedIn) });
  addMedia(app, visits, signedIn);
  addEventStream(app, visits, signedIn);
}

/** Whoever is signed in in this browser is the caller; a request that changes something must come from our own page. */
async function signIn(visits: Visits, request: FastifyRequest): Promise<void> {
  const { advisorId } = await requireSession(visits, request);
  if (request.method !== 'GET') requireOwnPage(visits.forms, request);
  setCaller(request, { applicationId: ownApp, advisorId, scopes: new Set(allScopes), key: ownKey });
}

/** The app's requests share waiting places as those of one API key do. */
const ownKey = {
  keyId: 0,
  applicationId: ownApp,
  revoked: false,
  ratePerSecond: null,
  burst: null,
  dailyQuota: null,
};

async function enter(shedder: LoadShedder, turns: FairQueue, request: FastifyRequest): Promise<void> {
  const { caller } = request;
  if (!caller) return;
  const leave = shedder.enter(caller);
  if (!leave) {
    await shedder.turnAway();
    throw overloaded();
  }
  request.leave = leave;
  const endTurn = await turns.enter(String(caller.advisorId));
  request.leave = () => {
    endTurn();
    leave();
  };
}

/** Who is signed in, what time it is in the domain, and where the events begin that the app hasn't seen. */
function addSession(app: FastifyInstance, visits: Visits): void {
  const { deps, forms } = visits;
  addPassage(app, { method: 'GET', path: '/app/api/session' }, [], async (request, reply) => {
    const session = await requireSession(visits, request);
    const known = { ...(await describeSession(deps, session)), formToken: forms.token(request, reply) };
    reply.header('cache-control', 'no-store').type('application/json; charset=utf-8').send(JSON.stringify(known));
  });
}

async function requireSession({ sessionOf }: Visits, request: FastifyRequest): Promise<Session> {
  const session = await sessionOf(request);
  if (!session) throw problem('unauthorized', 'You aren’t signed in: sign in again.');
  return session;
}

/** Pictures that came with replies. Anything that isn't one is a download, and nothing in it runs. */
function addMedia(app: FastifyInstance, { deps }: Visits, signedIn: Check): void {
  addPassage(app, { method: 'GET', path: '/app/api/media/:replyNumber/:place' }, [signedIn], async (request, reply) => {
    const { replyNumber, place } = request.params as Record<string, string>;
    const bytes = await getMedia(deps, callerOf(request).advisorId, {
      replyNumber: numberIn(replyNumber),
      place: numberIn(place),
    });
    await sendMedia(reply, bytes);
  });
}

function numberIn(text = ''): number {
  if (!/^\d{1,15}$/.test(text)) throw problem('not_found', 'There is no such picture on the advisor’s account.');
  return Number(text);
}
