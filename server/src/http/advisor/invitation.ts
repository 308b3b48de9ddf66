import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { acceptInvitation } from '../../domain/sign-in/invitations.ts';
import { hidden, html, sendPage } from '../browser/page.ts';
import {
  differ,
  type InvitationForm,
  invitationProblem,
  linkFields,
  newPasswordFields,
} from '../browser/sign-in-parts.ts';
import { firstPage, type Visits } from './visits.ts';

/**
 * The page that `assent advisors invite` links to. The code is in the link's fragment: a script puts it into the form, and
 * without scripts the advisor does. Opening the page spends nothing.
 */
export function addInvitation(app: FastifyInstance, visits: Visits): void {
  const { deps, forms } = visits;

  app.get('/invitation', (request, reply) => sendInvitation(visits, request, reply, {}));

  app.post('/invitation', async (request, reply) => {
    const fields = forms.read(request);
    const [email, code, password] = [fields('email').trim(), fields('code').trim(), fields('password')];
    if (password !== fields('repeated'))
      return sendInvitation(visits, request, reply, { email, code, problem: differ });
    const result = await acceptInvitation(deps, { ...visits.attemptOf(request), email, code, password });
    if (result.refused)
      return sendInvitation(visits, request, reply, { email, code, problem: invitationProblem(reply, result) });
    await visits.begin(request, reply, result.session);
    return reply.redirect(`${firstPage}?done=password`, 303);
  });
}

function sendInvitation(
  { forms }: Visits,
  request: FastifyRequest,
  reply: FastifyReply,
  form: InvitationForm,
): FastifyReply {
  const { problem } = form;
  const title = 'Choose your password';
  const content = html`<main class="card">
<h1>${title}</h1>
<p>You sign in with it from now on. It replaces an earlier password, and signs you out everywhere else.</p>
${problem && html`<p class="notice bad" role="alert" id="problem">${problem.text}</p>`}
<form method="post" action="/invitation">
${hidden({ formToken: forms.token(request, reply) })}
${linkFields(form)}
${newPasswordFields(problem)}
<button class="button main full">Set password and sign in</button>
</form>
</main>`;
  return sendPage(reply, { title, content, script: '/invitation.js', status: problem?.status });
}
