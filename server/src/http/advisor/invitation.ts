import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { type Acceptance, acceptInvitation } from '../../domain/sign-in/invitations.ts';
import { passwordLengthMin } from '../../domain/sign-in/passwords.ts';
import { type Html, hidden, html, sendPage } from '../browser/page.ts';
import { differ, type InvitationProblem, short, throttled, unknown } from '../browser/sign-in-parts.ts';
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
      return sendInvitation(visits, request, reply, { email, code, problem: problemOf(reply, result) });
    await visits.begin(request, reply, result.session);
    return reply.redirect(`${firstPage}?done=password`, 303);
  });
}

type InvitationForm = { email?: string; code?: string; problem?: InvitationProblem };

function problemOf(reply: FastifyReply, result: Extract<Acceptance, { refused: string }>): InvitationProblem {
  if (result.refused === 'throttled') return throttled(reply, result.retryAfterSeconds);
  return result.refused === 'short' ? short : unknown;
}

function sendInvitation(
  { forms }: Visits,
  request: FastifyRequest,
  reply: FastifyReply,
  { email = '', code = '', problem }: InvitationForm,
): FastifyReply {
  const title = 'Choose your password';
  const ofLink = problem?.about === 'link';
  const ofPassword = problem?.about === 'password';
  const content = html`<main class="card">
<h1>${title}</h1>
<p>You sign in with it from now on. It replaces an earlier password, and signs you out everywhere else.</p>
${problem && html`<p class="notice bad" role="alert" id="problem">${problem.text}</p>`}
<form method="post" action="/invitation">
${hidden({ formToken: forms.token(request, reply) })}
<div class="field">
<label for="code">Code</label>
<input id="code" name="code" autocomplete="off" autocapitalize="none" spellcheck="false" required maxlength="100" value="${code}"${described(ofLink, 'code-rule')}>
<p class="facts hint" id="code-rule">The last part of your link, after “code=”.</p>
</div>
<div class="field">
<label for="email">Email</label>
<input id="email" name="email" type="email" autocomplete="username" required maxlength="320" value="${email}"${described(ofLink)}>
</div>
<div class="field">
<label for="password">New password</label>
<input id="password" name="password" type="password" autocomplete="new-password" required minlength="${passwordLengthMin}" maxlength="1000"${described(ofPassword, 'password-rule')}>
<p class="facts hint" id="password-rule">At least ${passwordLengthMin} characters.</p>
</div>
<div class="field">
<label for="repeated">Repeat the password</label>
<input id="repeated" name="repeated" type="password" autocomplete="new-password" required maxlength="1000"${described(ofPassword)}>
</div>
<button class="button main full">Set password and sign in</button>
</form>
</main>`;
  return sendPage(reply, { title, content, script: '/invitation.js', status: problem?.status });
}

/** What else tells about a field: its rule, and the problem if that is about it. */
function described(isWrong: boolean, rule = ''): Html {
  const by = [...(isWrong ? ['problem'] : []), ...(rule ? [rule] : [])].join(' ');
  return html`${isWrong && html` aria-invalid="true"`}${by !== '' && html` aria-describedby="${by}"`}`;
}
