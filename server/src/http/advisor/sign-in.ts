import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { listAdvisors } from '../../domain/accounts/advisors.ts';
import { readSandboxFile } from '../../domain/sandbox/sandbox-file.ts';
import { isFresh } from '../../domain/sign-in/sessions.ts';
import { signIn, signInToSandbox } from '../../domain/sign-in/sign-ins.ts';
import { passkeysPossible } from '../../domain/sign-in/webauthn.ts';
import { addPasskeySignIn } from '../browser/own-sign-in.ts';
import { type Html, hidden, html, sendPage } from '../browser/page.ts';
import { type PageProblem, passkeySignIn, passwordFields, sandboxSignIn, throttled } from '../browser/sign-in-parts.ts';
import { firstPage, localPath, type Visits } from './visits.ts';

export function addSignIn(app: FastifyInstance, visits: Visits): void {
  const { deps, forms } = visits;

  app.get('/sign-in', async (request, reply) => {
    const { next: asked, again } = request.query as { next?: unknown; again?: unknown };
    const next = localPath(asked);
    const session = await visits.sessionOf(request);
    if (session && (again === undefined || isFresh(deps, session))) return reply.redirect(next, 303);
    return sendSignIn(visits, request, reply, { next, email: session?.email, again: session !== null });
  });

  app.post('/sign-in', async (request, reply) => {
    const fields = forms.read(request);
    const [email, next, application] = [fields('email').trim(), localPath(fields('next')), fields('application')];
    const result = await signIn(deps, { ...visits.attemptOf(request), email, password: fields('password') });
    if (result.refused === undefined) {
      await visits.begin(request, reply, result.session);
      return reply.redirect(next, 303);
    }
    const problem =
      result.refused === 'wrong' ? wrong : throttled(reply, result.retryAfterSeconds, passkeysPossible(deps));
    return sendSignIn(visits, request, reply, { next, email, application, again: fields('again') !== '', problem });
  });

  if (deps.config.environment === 'sandbox') addSandboxSignIn(app, visits);

  addPasskeySignIn(app, visits, { path: '/sign-in', kind: 'advisor', refused: passkeyRefused, pathOf: localPath });

  app.post('/sign-out', async (request, reply) => {
    const fields = forms.read(request);
    await visits.end(request, reply);
    return reply.redirect(fields('next') ? localPath(fields('next')) : '/sign-in', 303);
  });
}

function addSandboxSignIn(app: FastifyInstance, visits: Visits): void {
  const { deps, forms } = visits;

  app.post('/sign-in/sandbox', async (request, reply) => {
    const fields = forms.read(request);
    const advisorId = Number(fields('advisorId'));
    const session =
      Number.isSafeInteger(advisorId) && (await signInToSandbox(deps, advisorId, visits.attemptOf(request)));
    if (session) await visits.begin(request, reply, session);
    return reply.redirect(localPath(fields('next')), 303);
  });

  /** A link that signs in as the sandbox's first advisor, unless somebody is signed in. From another site it leads to the sign-in page. */
  app.get('/demonstration', async (request, reply) => {
    if (await visits.sessionOf(request)) return reply.redirect(demonstration, 303);
    const [advisor] = readSandboxFile(deps.config.dataDir)?.advisors ?? [];
    const session =
      advisor && forms.isOwnVisit(request) ? await signInToSandbox(deps, advisor.id, visits.attemptOf(request)) : null;
    if (!session) return reply.redirect(`/sign-in?next=${demonstration}`, 303);
    await visits.begin(request, reply, session);
    return reply.redirect(demonstration, 303);
  });
}

type SignInPage = {
  next: string;
  email?: string;
  application?: string;
  /** The advisor is signed in, but too long ago for what they want to do on the next page. */
  again?: boolean;
  /** Where declining the application's request leads. The decline form is then posted to `next`. */
  leavesTo?: string;
  problem?: PageProblem;
};

const demonstration = '/app/demonstration';
const wrong = { status: 400, text: 'That email and password don’t match.' };
const passkeyRefused = 'That passkey didn’t work. Try again, or sign in with your password.';

/** The sign-in page, at any URL. `application` is the one that sent the advisor here. */
export async function sendSignIn(
  { deps, forms }: Visits,
  request: FastifyRequest,
  reply: FastifyReply,
  { next, email = '', application = '', again = false, leavesTo, problem }: SignInPage,
): Promise<FastifyReply> {
  const formToken = forms.token(request, reply);
  const title = application ? `Sign in to connect ${application}` : again ? 'Sign in again' : 'Sign in';
  const passkeys = passkeysPossible(deps);
  const sandbox =
    deps.config.environment === 'sandbox' &&
    sandboxSignIn(
      (await listAdvisors(deps)).map(({ advisorId: id, name }) => ({ id, name })),
      { path: '/sign-in/sandbox', name: 'advisorId', formToken, next },
    );
  const content = html`<main class="card">
<h1>${title}</h1>
${!application && next === firstPage && html`<p>See which applications act for you, and disconnect them.</p>`}
${again && html`<p>Passkeys can be changed and contacts exported for five minutes after you sign in.</p>`}
${problem && html`<p class="notice bad" role="alert" id="problem">${problem.text}</p>`}
<form method="post" action="/sign-in">
${hidden({ formToken, next, application, again: again ? 'yes' : '' })}
${passwordFields(email, problem)}
<button class="button main full">Sign in</button>
</form>
<p class="facts hint">Forgot your password? Ask your administrator for a link to choose a new one.</p>
${sandbox}
${passkeys && passkeySignIn({ path: '/sign-in/passkey', formToken, next, origin: deps.config.publicUrl }, { isOnlyWay: false })}
${leavesTo && declineForm({ formToken, path: next })}
${again && html`<p class="decline"><a class="quiet" href="${next}">Don’t sign in, go back</a></p>`}
</main>`;
  const formTargets = leavesTo ? [leavesTo] : [];
  return sendPage(reply, { title, content, scripts: passkeys, formTargets, status: problem?.status });
}

function declineForm({ formToken, path }: { formToken: string; path: string }): Html {
  return html`<form class="decline" method="post" action="${path}">
${hidden({ formToken })}
<button class="quiet" name="decision" value="deny">Don’t connect, go back</button>
</form>`;
}
