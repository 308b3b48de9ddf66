import { readFileSync } from 'node:fs';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { Deps } from '../../deps.ts';
import { Problem, problemIn, problems } from '../../domain/problems.ts';
import type { AuthorizationRequests } from '../../oauth/server.ts';
import { FormRefused } from '../browser/forms.ts';
import { type Failure, sendErrorPage } from '../browser/page.ts';
import type { Lane } from '../door/lane.ts';
import { addConnectedApps } from './connected-apps.ts';
import { addConsent } from './consent.ts';
import { addPasskeys } from './passkeys.ts';
import { addSignIn } from './sign-in.ts';
import { visits } from './visits.ts';

const passkeyScript = readFileSync(new URL('browser/passkeys.js', import.meta.url));
/** The library's bundle in one file. It isn't among the package's exports, but lies beside what is. */
const webauthnScript = readFileSync(
  new URL('../dist/bundle/index.umd.min.js', import.meta.resolve('@simplewebauthn/browser')),
);

/** The pages that an advisor sees: signing in, allowing an application, what is connected, passkeys. */
export function addAdvisorPages(app: FastifyInstance, deps: Deps, server: AuthorizationRequests, lane: Lane): void {
  const visiting = visits(deps);
  app.register(async (scope) => {
    scope.setErrorHandler((error, request, reply) => sendFailure(error, request, reply));
    // Once the form is read: who is slow to send it waits for nobody else's turn.
    scope.addHook('preHandler', async (request) => {
      request.leaveLane = await lane.enter(request.ip);
    });
    scope.addHook('onResponse', async (request) => request.leaveLane?.());
    addSignIn(scope, visiting);
    addConsent(scope, visiting, server);
    addConnectedApps(scope, visiting);
    addPasskeys(scope, visiting);
    addScript(scope, '/passkeys.js', passkeyScript);
    addScript(scope, '/webauthn.js', webauthnScript);
  });
}

export function addScript(app: FastifyInstance, path: string, script: Buffer): void {
  app.get(path, { schema: { hide: true } }, (_request, reply) =>
    reply.type('text/javascript; charset=utf-8').send(script),
  );
}

/** What goes wrong on a page is told on a page. */
export function sendFailure(error: unknown, request: FastifyRequest, reply: FastifyReply): FastifyReply {
  if (error instanceof FormRefused) return sendErrorPage(reply, refusals[error.reason]);
  // What Fastify refuses by itself: a type that is none, a body that breaks off.
  const { statusCode = 500 } = error as { statusCode?: number };
  if (statusCode < 500) return sendErrorPage(reply, refusals.unreadable);
  const found = problemIn(error);
  request.problemCode = found?.code ?? 'internal_error';
  if (error instanceof Problem && error.status < 500) return sendErrorPage(reply, refused(error));
  request.log[found?.retryable ? 'warn' : 'error']({ code: request.problemCode, err: error }, 'problem');
  if (found) return sendErrorPage(reply.header('retry-after', '1'), unavailable);
  return sendErrorPage(reply, { ...failed, traceId: request.id });
}

const refusals: Record<FormRefused['reason'], Failure> = {
  foreign: {
    status: 403,
    title: 'That didn’t come from this page',
    message: 'The page you used was open for a while, or something other than this site sent it. Nothing was done.',
    next: 'Go back, reload the page and try again. Cookies must be on.',
  },
  unreadable: {
    status: 400,
    title: 'That can’t be read',
    message: 'What was sent is not a form of this site, or is too long. Nothing was done.',
    next: 'Go back, reload the page and try again.',
  },
};

const unavailable: Failure = {
  status: 503,
  title: 'Not available for a moment',
  message: 'Something we depend on doesn’t answer.',
  next: 'Wait a moment, then reload the page.',
};

const failed: Failure = {
  status: 500,
  title: 'Something went wrong',
  message: 'This is our fault, not yours.',
  next: 'Go back and try again.',
};

function refused({ code, status, detail }: Problem): Failure {
  return { status, title: problems[code].title, message: detail, next: 'Go back and try again.' };
}

declare module 'fastify' {
  interface FastifyRequest {
    leaveLane: (() => void) | null;
  }
}
