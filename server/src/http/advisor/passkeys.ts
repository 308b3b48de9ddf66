import type { FastifyInstance, FastifyRequest } from 'fastify';
import { listPasskeys, type Passkey } from '../../domain/sign-in/passkeys.ts';
import { isFresh, type Session } from '../../domain/sign-in/sessions.ts';
import { passkeysPossible } from '../../domain/sign-in/webauthn.ts';
import { addPasskeyChanges, passkeyConfirmations, passkeyList } from '../browser/own-sign-in.ts';
import { type Html, html, sendPage } from '../browser/page.ts';
import { confirmation, continuation, passkeyAdding } from '../browser/sign-in-parts.ts';
import { accountNavigation, day } from './frame.ts';
import { advisorOf, type Visits } from './visits.ts';

/** Where an advisor sees, adds and removes passkeys. After signing in again, the page goes on with what it was for. */
export function addPasskeys(app: FastifyInstance, visits: Visits): void {
  const { deps, forms, sessionOf } = visits;

  app.get('/passkeys', async (request, reply) => {
    const session = await sessionOf(request);
    if (!session) return reply.redirect('/sign-in?next=/passkeys', 303);
    const passkeys = await listPasskeys(deps, { advisorId: session.advisorId });
    const formToken = forms.token(request, reply);
    const origin = passkeysPossible(deps) ? deps.config.publicUrl : null;
    const done = confirmation(request, passkeyConfirmations);
    const continued = isFresh(deps, session) ? continuedIn(request) : null;
    const content = passkeyPage({ passkeys, session, formToken, origin, done, continued });
    return sendPage(reply, { title: 'Passkeys', content, scripts: origin !== null });
  });

  const signInTo = (what: 'add' | string) => {
    const next = `/passkeys?continue=${encodeURIComponent(what)}`;
    return `/sign-in?${new URLSearchParams({ again: 'yes', next })}`;
  };
  addPasskeyChanges(app, visits, { page: '/passkeys', path: '/passkeys', ownerOf: advisorOf, signInTo });
}

function continuedIn({ query }: FastifyRequest): string | null {
  const { continue: what } = query as { continue?: unknown };
  return typeof what === 'string' ? what : null;
}

type PasskeyPage = {
  passkeys: Passkey[];
  session: Session;
  formToken: string;
  /** Where passkeys can be added, if they can be. */
  origin: string | null;
  done: Html | null;
  /** What the advisor signed in again for: to `add` a passkey, or to remove the one with this id. */
  continued: string | null;
};

function passkeyPage({ passkeys, session, formToken, origin, done, continued }: PasskeyPage): Html {
  const since = (date: Date) => day(date, session);
  const removed = passkeys.find(({ passkeyId }) => passkeyId === continued);
  return html`${accountNavigation('/passkeys', formToken)}
<main class="sheet">
<h1>Passkeys</h1>
${done}
${continued === 'add' && continuation('“Add a passkey”')}
${removed && continuation(`“Remove” next to ${removed.name}`)}
<p>A passkey signs you in with your fingerprint, your face or your device’s code instead of a password.</p>
${passkeyList(passkeys, { path: '/passkeys', formToken, heading: 'h2', shown: since, said: since }, removed?.passkeyId ?? true)}
${origin && passkeyAdding({ path: '/passkeys', formToken, origin, focused: continued === 'add' })}
</main>`;
}
