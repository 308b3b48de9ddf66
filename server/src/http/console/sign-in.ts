import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { listStaff, type Staff, type StaffRole } from '../../domain/accounts/staff.ts';
import { beginStaffSession } from '../../domain/sign-in/staff-sessions.ts';
import { type Html, hidden, html, sendPage } from '../browser/page.ts';
import { consolePath, type StaffVisits } from './staff-visits.ts';

/** Where the staff of firms and of the deployment sign in to the console. */
export function addConsoleSignIn(app: FastifyInstance, visits: StaffVisits): void {
  const { deps, forms } = visits;

  app.get('/console/sign-in', async (request, reply) => {
    const next = consolePath((request.query as { next?: unknown }).next);
    if (await visits.sessionOf(request)) return reply.redirect(next, 303);
    return sendSignIn(visits, request, reply, next);
  });

  app.post('/console/sign-out', async (request, reply) => {
    forms.read(request);
    await visits.end(request, reply);
    return reply.redirect('/console/sign-in', 303);
  });

  if (deps.config.environment !== 'sandbox') return;
  app.post('/console/sign-in/sandbox', async (request, reply) => {
    const fields = forms.read(request);
    const token = await beginStaffSession(deps, Number(fields('staffId')), {
      ...visits.attemptOf(request),
      method: 'sandbox',
    });
    if (token) await visits.begin(request, reply, token);
    return reply.redirect(consolePath(fields('next')), 303);
  });
}

async function sendSignIn(
  { deps, forms }: StaffVisits,
  request: FastifyRequest,
  reply: FastifyReply,
  next: string,
): Promise<FastifyReply> {
  const formToken = forms.token(request, reply);
  const title = 'Sign in to the console';
  const content = html`<main class="card">
<h1>${title}</h1>
<p>For reviewers, compliance officers and operators.</p>
${deps.config.environment === 'sandbox' && sandboxSignIn(await listStaff(deps), { formToken, next })}
</main>`;
  return sendPage(reply, { title, content });
}

const shownMax = 8;
const roleNames: Record<StaffRole, string> = {
  reviewer: 'reviewer',
  compliance_officer: 'compliance officer',
  operator: 'operator',
};

/** A click signs in as any of the sandbox's own staff. */
function sandboxSignIn(staff: Staff[], fields: { formToken: string; next: string }): Html {
  return html`<form method="post" action="/console/sign-in/sandbox">
${hidden(fields)}
<p class="or">in this sandbox, as</p>
<div class="choices">
${staff.slice(0, shownMax).map(({ staffId, name, role }) => html`<button class="button" name="staffId" value="${staffId}">${name}, ${roleNames[role]}</button>`)}
</div>
</form>`;
}
