import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { listStaff, type Staff, type StaffRole } from '../../domain/accounts/staff.ts';
import { signInByPasskey, signInOptions } from '../../domain/sign-in/passkey-sign-in.ts';
import { beginSession, isFresh } from '../../domain/sign-in/sessions.ts';
import { checkStaffPassword, signInStaffByCode } from '../../domain/sign-in/staff-sign-in.ts';
import { passkeysPossible } from '../../domain/sign-in/webauthn.ts';
import { type Html, hidden, html, sendPage } from '../browser/page.ts';
import { type PageProblem, passkeySignIn, passwordFields, sendTooMany, throttled } from '../browser/sign-in-parts.ts';
import { codeField, wrongCode } from './authenticator.ts';
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
    return sendSignIn(visits, request, reply, { next, email: session?.email, again: session !== null });
  });

  app.post(path, async (request, reply) => {
    const fields = forms.read(request);
    const [email, next] = [fields('email').trim(), consolePath(fields('next'))];
    const given = { ...visits.attemptOf(request), email, password: fields('password') };
    const result = await checkStaffPassword(deps, given);
    if (result.refused === undefined) return sendSecondStep(visits, request, reply, { step: result.step, next });
    const problem =
      result.refused === 'wrong' ? wrong : throttled(reply, result.retryAfterSeconds, passkeysPossible(deps));
    return sendSignIn(visits, request, reply, { next, email, again: fields('again') !== '', problem });
  });

  app.post(`${path}/code`, async (request, reply) => {
    const fields = forms.read(request);
    const [step, next] = [fields('step'), consolePath(fields('next'))];
    const result = await signInStaffByCode(deps, { ...visits.attemptOf(request), step, code: fields('totp') });
    if (result.refused === 'expired') return sendSignIn(visits, request, reply, { next, problem: expired });
    if (result.refused) {
      const problem = result.refused === 'wrong' ? wrongCode : throttled(reply, result.retryAfterSeconds);
      return sendSecondStep(visits, request, reply, { step, next, problem });
    }
    await visits.begin(request, reply, result.session);
    return reply.redirect(next, 303);
  });

  app.post(`${path}/passkey/options`, async (request, reply) => {
    forms.readJson(request);
    const options = await signInOptions(deps, request.ip);
    return 'refused' in options ? sendTooMany(reply, options.retryAfterSeconds) : options;
  });

  app.post(`${path}/passkey`, async (request, reply) => {
    const { response, next } = forms.readJson(request);
    const result = await signInByPasskey(deps, 'staff', response, visits.attemptOf(request));
    if (result.refused === 'throttled') return sendTooMany(reply, result.retryAfterSeconds);
    if (result.refused) return reply.code(400).send({ message: passkeyRefused });
    await visits.begin(request, reply, result.session);
    return { location: consolePath(next) };
  });

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

const wrong = { status: 400, text: 'That email and password don’t match.' };
const expired = { status: 400, text: 'That took too long, or your sign-in was changed meanwhile. Start again.' };
const passkeyRefused = 'That passkey didn’t work here. Try again, or sign in with your password.';

type SignInPage = {
  next: string;
  email?: string | undefined;
  /** They are signed in, but too long ago for what they want to do on the next page. */
  again?: boolean;
  problem?: PageProblem;
};

async function sendSignIn(
  { deps, forms }: StaffVisits,
  request: FastifyRequest,
  reply: FastifyReply,
  { next, email = '', again = false, problem }: SignInPage,
): Promise<FastifyReply> {
  const formToken = forms.token(request, reply);
  const title = again ? 'Sign in again' : 'Sign in to the console';
  const passkeys = passkeysPossible(deps);
  const content = html`<main class="card">
<h1>${title}</h1>
<p>${again ? 'Giving access, and changing who signs in and how, needs a sign-in of the last five minutes.' : 'For reviewers, compliance officers and operators.'}</p>
${problem && html`<p class="notice bad" role="alert" id="problem">${problem.text}</p>`}
<form method="post" action="${path}">
${hidden({ formToken, next, again: again ? 'yes' : '' })}
${passwordFields(email, problem)}
<button class="button main full">Continue</button>
</form>
<p class="facts hint">Forgot your password, or lost your phone and your recovery codes? Ask an operator or a compliance officer of your firm for a new link.</p>
${deps.config.environment === 'sandbox' && sandboxSignIn(await listStaff(deps), { formToken, next })}
${passkeys && passkeySignIn({ path: `${path}/passkey`, formToken, next, origin: deps.config.publicUrl })}
${again && html`<p class="decline"><a class="quiet" href="${next}">Don’t sign in, go back</a></p>`}
</main>`;
  return sendPage(reply, { title, content, scripts: passkeys, status: problem?.status });
}

/** The password was right. */
function sendSecondStep(
  { forms }: StaffVisits,
  request: FastifyRequest,
  reply: FastifyReply,
  { step, next, problem }: { step: string; next: string; problem?: PageProblem },
): FastifyReply {
  const title = 'Enter your code';
  const content = html`<main class="card">
<h1>${title}</h1>
<p>Your authenticator app shows a new one every 30 seconds. Without the app, enter one of your recovery codes.</p>
${problem && html`<p class="notice bad" role="alert" id="problem">${problem.text}</p>`}
<form method="post" action="${path}/code">
${hidden({ formToken: forms.token(request, reply), step, next })}
${codeField('Code', 'text', problem)}
<button class="button main full">Sign in</button>
</form>
<p class="decline"><a class="quiet" href="${path}?next=${encodeURIComponent(next)}">Start again</a></p>
</main>`;
  return sendPage(reply, { title, content, status: problem?.status });
}

const shownMax = 8;
const roleNames: Record<StaffRole, string> = {
  reviewer: 'reviewer',
  compliance_officer: 'compliance officer',
  operator: 'operator',
};

/** A click signs in as any of the sandbox's own staff. */
function sandboxSignIn(staff: Staff[], fields: { formToken: string; next: string }): Html {
  return html`<form method="post" action="${path}/sandbox">
${hidden(fields)}
<p class="or">or, in this sandbox, as</p>
<div class="choices">
${staff.slice(0, shownMax).map(({ staffId, name, role }) => html`<button class="button" name="staffId" value="${staffId}">${name}, ${roleNames[role]}</button>`)}
</div>
</form>`;
}
