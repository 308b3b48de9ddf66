import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { listStaff, type StaffRole } from '../../domain/accounts/staff.ts';
import { beginSession, isFresh } from '../../domain/sign-in/sessions.ts';
import { addPasskeySignIn } from '../browser/own-sign-in.ts';
import { html, sendPage } from '../browser/page.ts';
import { passkeySignIn, sandboxSignIn } from '../browser/sign-in-parts.ts';
import { consolePath, type StaffVisits } from './staff-visits.ts';

const path = '/console/sign-in';

/** Where the staff of firms and of the deployment sign in to the console. */
export function addConsoleSignIn(app: FastifyInstance, visits: StaffVisits): void {
  const { deps, forms } = visits;

  app.get(path, async (request, reply) => {
    const { next: asked, again } = request.query as { next?: unknown; again?: unknown };
    const next = consolePath(asked);
    const session = await visits.sessionOf(request);
    if (session && (again === undefined || isFresh(deps, session))) return reply.redirect(next, 303);
    return sendSignIn(visits, request, reply, { next, again: session !== null });
  });

  addPasskeySignIn(app, visits, { path, kind: 'staff', refused: passkeyRefused, pathOf: consolePath });

  app.post('/console/sign-out', async (request, reply) => {
    forms.read(request);
    await visits.end(request, reply);
    return reply.redirect(path, 303);
  });

  if (deps.config.environment !== 'sandbox') return;
  app.post(`${path}/sandbox`, async (request, reply) => {
    const fields = forms.read(request);
    const staff = (await listStaff(deps)).find(({ staffId }) => String(staffId) === fields('staffId'));
    const session =
      staff &&
      (await beginSession(deps, { staffId: staff.staffId }, { ...visits.attemptOf(request), method: 'sandbox' }));
    if (session) await visits.begin(request, reply, session);
    return reply.redirect(consolePath(fields('next')), 303);
  });
}

const passkeyRefused = 'That passkey didn’t work here. Try again.';

/** `again`: they are signed in, but too long ago for what they want to do on the next page. */
async function sendSignIn(
  { deps, forms }: StaffVisits,
  request: FastifyRequest,
  reply: FastifyReply,
  { next, again }: { next: string; again: boolean },
): Promise<FastifyReply> {
  const formToken = forms.token(request, reply);
  const title = again ? 'Sign in again' : 'Sign in to the console';
  const sandbox =
    deps.config.environment === 'sandbox' &&
    sandboxSignIn(
      (await listStaff(deps)).map(({ staffId: id, name, role }) => ({ id, name: `${name}, ${roleNames[role]}` })),
      { path: `${path}/sandbox`, name: 'staffId', formToken, next },
    );
  const content = html`<main class="card">
<h1>${title}</h1>
<p>${again ? 'Giving access, and changing who signs in and how, needs a sign-in of the last five minutes.' : 'For reviewers, compliance officers and operators.'}</p>
${passkeySignIn({ path: `${path}/passkey`, formToken, next, origin: deps.config.publicUrl }, { isOnlyWay: true })}
${sandbox}
<p class="facts hint">Lost your passkey? Ask an operator for a new link.</p>
${again && html`<p class="decline"><a class="quiet" href="${next}">Don’t sign in, go back</a></p>`}
</main>`;
  return sendPage(reply, { title, content, scripts: true });
}

const roleNames: Record<StaffRole, string> = {
  reviewer: 'reviewer',
  compliance_officer: 'compliance officer',
  operator: 'operator',
};
