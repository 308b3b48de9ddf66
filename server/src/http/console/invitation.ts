import type { FastifyInstance, FastifyRequest } from 'fastify';
import { acceptByPasskey, invitedPasskeyOptions } from '../../domain/sign-in/staff-invitations.ts';
import { html, sendPage } from '../browser/page.ts';
import { linkFields, passkeyAdding, sendTooMany, unknown } from '../browser/sign-in-parts.ts';
import type { StaffVisits } from './staff-visits.ts';

const path = '/console/invitation';
const notVerified = 'That passkey couldn’t be added. Try again.';

/**
 * The page that `assent staff invite` and the console link to. The code is in the link's fragment: a script puts it into the form.
 * Opening the page spends nothing, and nobody is signed in before there is a passkey.
 */
export function addConsoleInvitation(app: FastifyInstance, visits: StaffVisits): void {
  const { deps, forms } = visits;
  const givenIn = (request: FastifyRequest, { email, code }: Record<string, unknown>) => ({
    ...visits.attemptOf(request),
    email: typeof email === 'string' ? email.trim() : '',
    code: typeof code === 'string' ? code.trim() : '',
  });

  app.get(path, (request, reply) => {
    const title = 'Add a passkey for the console';
    const place = { path: `${path}/passkey`, formToken: forms.token(request, reply), origin: deps.config.publicUrl };
    const content = html`<main class="card">
<h1>${title}</h1>
<p>You sign in with your fingerprint, your face or your device’s code. If you had passkeys before, they stop working, and you are signed out everywhere else.</p>
${linkFields({})}
${passkeyAdding({ ...place, focused: true, fields: 'email code' })}
</main>`;
    return sendPage(reply, { title, content, scripts: true, script: '/invitation.js' });
  });

  app.post(`${path}/passkey/options`, async (request, reply) => {
    const result = await invitedPasskeyOptions(deps, givenIn(request, forms.readJson(request)));
    if (!('refused' in result)) return result;
    if (result.refused === 'throttled') return sendTooMany(reply, result.retryAfterSeconds);
    return reply.code(400).send({ message: unknown.text });
  });

  app.post(`${path}/passkey`, async (request, reply) => {
    const sent = forms.readJson(request);
    const result = await acceptByPasskey(deps, { ...givenIn(request, sent), response: sent.response });
    if (result.refused === 'throttled') return sendTooMany(reply, result.retryAfterSeconds);
    if (result.refused)
      return reply.code(400).send({ message: result.refused === 'unknown' ? unknown.text : notVerified });
    await visits.begin(request, reply, result.session);
    return { location: '/console' };
  });
}
