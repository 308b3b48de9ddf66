import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import {
  acceptByAuthenticator,
  acceptByPasskey,
  chooseStaffPassword,
  invitedPasskeyOptions,
} from '../../domain/sign-in/staff-invitations.ts';
import { passkeysPossible } from '../../domain/sign-in/webauthn.ts';
import { type Html, hidden, html, sendPage } from '../browser/page.ts';
import {
  differ,
  type InvitationForm,
  invitationProblem,
  linkFields,
  newPasswordFields,
  sendTooMany,
  unknown,
} from '../browser/sign-in-parts.ts';
import { sendAuthenticatorPage, sendRecoveryCodes, wrongCode } from './authenticator.ts';
import type { StaffVisits } from './staff-visits.ts';

const path = '/console/invitation';

/**
 * The page that `assent staff invite` and the console link to. The code is in the link's fragment: a script puts it into the form.
 * Opening the page spends nothing, and nobody is signed in before there is a passkey, or a password with its second factor.
 */
export function addConsoleInvitation(app: FastifyInstance, visits: StaffVisits): void {
  const { deps, forms } = visits;

  app.get(path, (request, reply) => sendInvitation(visits, request, reply, {}));

  app.post(path, async (request, reply) => {
    const fields = forms.read(request);
    const [email, code, password] = [fields('email').trim(), fields('code').trim(), fields('password')];
    if (password !== fields('repeated'))
      return sendInvitation(visits, request, reply, { email, code, problem: differ });
    const result = await chooseStaffPassword(deps, { ...visits.attemptOf(request), email, code, password });
    if ('refused' in result)
      return sendInvitation(visits, request, reply, { email, code, problem: invitationProblem(reply, result) });
    return sendAuthenticator(visits, request, reply, { email, code, setUp: result });
  });

  app.post(`${path}/authenticator`, async (request, reply) => {
    const fields = forms.read(request);
    const [email, code, step, totp] = [fields('email'), fields('code'), fields('step'), fields('totp')];
    const result = await acceptByAuthenticator(deps, { ...visits.attemptOf(request), email, code, step, totp });
    if (!('refused' in result)) {
      await visits.begin(request, reply, result.session);
      return sendRecoveryCodes(reply, result.recoveryCodes, {
        path: '/console',
        name: 'I saved them: go to the console',
      });
    }
    if (result.refused === 'wrong')
      return sendAuthenticator(visits, request, reply, { email, code, setUp: result.setUp, problem: wrongCode });
    return sendInvitation(visits, request, reply, { email, code, problem: invitationProblem(reply, result) });
  });

  app.post(`${path}/passkey/options`, async (request, reply) => {
    const result = await invitedPasskeyOptions(deps, givenIn(visits, request, forms.readJson(request)));
    if (!('refused' in result)) return result;
    if (result.refused === 'throttled') return sendTooMany(reply, result.retryAfterSeconds);
    return reply.code(400).send({ message: unknown.text });
  });

  app.post(`${path}/passkey`, async (request, reply) => {
    const sent = forms.readJson(request);
    const result = await acceptByPasskey(deps, { ...givenIn(visits, request, sent), response: sent.response });
    if (result.refused === 'throttled') return sendTooMany(reply, result.retryAfterSeconds);
    if (result.refused)
      return reply.code(400).send({ message: result.refused === 'unknown' ? unknown.text : notVerified });
    await visits.begin(request, reply, result.session);
    return { location: '/console' };
  });
}

function givenIn({ attemptOf }: StaffVisits, request: FastifyRequest, { email, code }: Record<string, unknown>) {
  return { ...attemptOf(request), email: String(email).trim(), code: String(code).trim() };
}

const notVerified = 'That passkey couldn’t be added. Try again, or choose a password.';

type AuthenticatorStep = Pick<Parameters<typeof sendAuthenticatorPage>[1], 'setUp' | 'problem'>;

function sendAuthenticator(
  { forms }: StaffVisits,
  request: FastifyRequest,
  reply: FastifyReply,
  { email, code, ...step }: { email: string; code: string } & AuthenticatorStep,
): FastifyReply {
  const fields = { formToken: forms.token(request, reply), email, code };
  return sendAuthenticatorPage(reply, { ...step, action: `${path}/authenticator`, fields });
}

function sendInvitation(
  { deps, forms }: StaffVisits,
  request: FastifyRequest,
  reply: FastifyReply,
  form: InvitationForm,
): FastifyReply {
  const { problem } = form;
  const title = 'Choose how you sign in';
  const formToken = forms.token(request, reply);
  const origin = passkeysPossible(deps) ? deps.config.publicUrl : null;
  const content = html`<main class="card">
<h1>${title}</h1>
<p>It replaces whatever you signed in to the console with before, and signs you out everywhere else.</p>
${problem && html`<p class="notice bad" role="alert" id="problem">${problem.text}</p>`}
<form method="post" action="${path}">
${hidden({ formToken })}
${linkFields(form)}
${origin && passkeyChoice(formToken, origin)}
${newPasswordFields(problem, 'The next step sets up an app for one-time codes.')}
<button class="button full">Continue with a password</button>
</form>
</main>`;
  return sendPage(reply, {
    title,
    content,
    scripts: origin !== null,
    script: '/invitation.js',
    status: problem?.status,
  });
}

/** Hidden until the script finds that passkeys work here. */
function passkeyChoice(formToken: string, origin: string): Html {
  return html`<div hidden data-passkey-adding data-path="${path}/passkey" data-fields="email code" data-origin="${origin}" data-form-token="${formToken}">
<p class="notice bad" role="alert" hidden></p>
<button class="button main full" type="button">Use a passkey</button>
<p class="facts hint">Your fingerprint, your face or your device’s code. Nothing else is needed.</p>
<p class="or">or</p>
</div>`;
}
