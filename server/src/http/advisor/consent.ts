import type { FastifyInstance } from 'fastify';
import { isSuspended } from '../../domain/access/grants.ts';
import type { Session } from '../../domain/sign-in/sessions.ts';
import type { AuthorizationRequest, AuthorizationRequests } from '../../oauth/authorization-requests.ts';
import { type Html, hidden, html, sendErrorPage, sendPage } from '../browser/page.ts';
import { signOutForm } from './frame.ts';
import { scopeList } from './scope-list.ts';
import { sendSignIn } from './sign-in.ts';
import type { Visits } from './visits.ts';

/** An application's authorization request, where the advisor signs in and then allows or denies it. */
export function addConsent(app: FastifyInstance, visits: Visits, server: AuthorizationRequests): void {
  app.get('/oauth/interaction/:uid', async (request, reply) => {
    const asked = await server.findRequest(request.raw, reply.raw);
    if (!asked) return sendErrorPage(reply, expired);
    const session = await visits.sessionOf(request);
    if (!session || isTooOld(session, asked))
      return sendSignIn(visits, request, reply, {
        next: pathOf(asked),
        email: asked.loginHint ?? '',
        application: asked.applicationName,
        leavesTo: formTarget(asked.redirectUri),
      });
    const restores = await isSuspended(visits.deps, session.advisorId, asked.clientId);
    const content = consentPage({ asked, session, restores, formToken: visits.forms.token(request, reply) });
    const title = `${asked.applicationName} wants to act for you`;
    return sendPage(reply, { title, content, formTargets: [formTarget(asked.redirectUri)] });
  });

  app.post('/oauth/interaction/:uid', async (request, reply) => {
    const fields = visits.forms.read(request);
    const asked = await server.findRequest(request.raw, reply.raw);
    if (!asked) return sendErrorPage(reply, expired);
    if (fields('decision') === 'deny') return reply.redirect(await server.deny(request.raw, reply.raw), 303);
    const session = await visits.sessionOf(request);
    // Not allowed yet: back to the page where the advisor signs in and sees the request.
    if (!session || isTooOld(session, asked) || fields('decision') !== 'allow')
      return reply.redirect(pathOf(asked), 303);
    return reply.redirect(await server.allow(request.raw, reply.raw, session), 303);
  });
}

const expired = {
  status: 400,
  title: 'This request has expired',
  message:
    'An application asked to act for you, but its request is too old, has already been answered or was started in a different browser.',
  next: 'Go back to the application and start again.',
};

type ConsentPage = { asked: AuthorizationRequest; session: Session; restores: boolean; formToken: string };

function consentPage({ asked, session, restores, formToken }: ConsentPage): Html {
  const { applicationName, scopes, redirectUri } = asked;
  return html`<main class="card">
<h1>${applicationName} wants to act for you</h1>
<div class="person">
<p>Signed in as <strong>${session.name}</strong> (${session.email})</p>
${signOutForm({ formToken, next: pathOf(asked), label: 'Not you?' })}
</div>
<p>If you allow it, ${applicationName} may:</p>
${scopeList(scopes)}
${restores && html`<p>It may then also text for you while you are away, as your firm’s operator set up before you disconnected it.</p>`}
<p class="facts">You will then return to <strong>${hostOf(redirectUri)}</strong>. You can end this at any time under Connected apps.</p>
<form method="post" action="${pathOf(asked)}">
${hidden({ formToken })}
<div class="choices">
<button class="button" name="decision" value="deny">Deny</button>
<button class="button main" name="decision" value="allow">Allow</button>
</div>
</form>
</main>`;
}

function isTooOld({ signedInAt }: Session, { mustSignInAfter }: AuthorizationRequest): boolean {
  return mustSignInAfter !== null && signedInAt < mustSignInAfter;
}

function pathOf({ uid }: AuthorizationRequest): string {
  return `/oauth/interaction/${encodeURIComponent(uid)}`;
}

/** The form target that the policy must allow: an origin, or the URL scheme of an app on the device. */
function formTarget(redirectUri: string): string {
  const { origin, protocol } = new URL(redirectUri);
  return origin === 'null' ? protocol : origin;
}

function hostOf(redirectUri: string): string {
  const { host, protocol } = new URL(redirectUri);
  return host || protocol;
}
