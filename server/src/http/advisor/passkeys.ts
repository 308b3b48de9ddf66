import type { FastifyInstance, FastifyRequest } from 'fastify';
import { byAdvisor } from '../../domain/archive/archive.ts';
import {
  addPasskey,
  listPasskeys,
  type Passkey,
  passkeysMax,
  registrationOptions,
  removePasskey,
} from '../../domain/sign-in/passkeys.ts';
import { isFresh, type Session } from '../../domain/sign-in/sessions.ts';
import { passkeysPossible } from '../../domain/sign-in/webauthn.ts';
import { type Html, hidden, html, sendPage } from '../browser/page.ts';
import { confirmation, continuation, passkeyAdding } from '../browser/sign-in-parts.ts';
import { accountNavigation, day } from './frame.ts';
import type { Visits } from './visits.ts';

const confirmations: Record<string, string> = {
  added: 'Passkey added. You can now sign in with it.',
  removed: 'Passkey removed. It no longer signs you in here; you can delete it on your device too.',
};
const refusals = {
  too_many: `You have ${passkeysMax} passkeys already. Remove one first.`,
  not_verified: 'That passkey couldn’t be added. Try again.',
};

/** Only somebody who signed in just now may change how an advisor signs in: a stolen session can't. */
export function addPasskeys(app: FastifyInstance, { deps, forms, sessionOf, freshSessionOf }: Visits): void {
  app.get('/passkeys', async (request, reply) => {
    const session = await sessionOf(request);
    if (!session) return reply.redirect('/sign-in?next=/passkeys', 303);
    const passkeys = await listPasskeys(deps, { advisorId: session.advisorId });
    const formToken = forms.token(request, reply);
    const origin = passkeysPossible(deps) ? deps.config.publicUrl : null;
    const done = confirmation(request, confirmations);
    const continued = isFresh(deps, session) ? continuedIn(request) : null;
    const content = passkeyPage({ passkeys, session, formToken, origin, done, continued });
    return sendPage(reply, { title: 'Passkeys', content, scripts: origin !== null });
  });

  app.post('/passkeys/remove', async (request, reply) => {
    const fields = forms.read(request);
    const session = await freshSessionOf(request);
    if (!session) return reply.redirect(signInToContinue(fields('passkeyId')), 303);
    const { advisorId } = session;
    const isTheirs = await removePasskey(deps, { advisorId }, fields('passkeyId'), byAdvisor(advisorId, request.id));
    return reply.redirect(isTheirs ? '/passkeys?done=removed' : '/passkeys', 303);
  });

  app.post('/passkeys/options', async (request, reply) => {
    forms.readJson(request);
    const session = await freshSessionOf(request);
    if (!session) return reply.code(401).send({ location: signInToContinue('add') });
    const options = await registrationOptions(deps, { advisorId: session.advisorId }, session);
    return 'refused' in options ? reply.code(400).send({ message: refusals[options.refused] }) : options;
  });

  app.post('/passkeys', async (request, reply) => {
    const { response } = forms.readJson(request);
    const session = await freshSessionOf(request);
    if (!session) return reply.code(401).send({ location: signInToContinue('add') });
    const { advisorId } = session;
    const result = await addPasskey(deps, { advisorId }, response, byAdvisor(advisorId, request.id));
    if ('refused' in result) return reply.code(400).send({ message: refusals[result.refused] });
    return { location: '/passkeys?done=added' };
  });
}

/** Where to sign in, and come back to add a passkey or to remove this one. */
function signInToContinue(what: 'add' | string): string {
  return `/sign-in?${new URLSearchParams({ again: 'yes', next: `/passkeys?continue=${encodeURIComponent(what)}` })}`;
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
  const removed = passkeys.find(({ passkeyId }) => passkeyId === continued);
  return html`${accountNavigation('/passkeys', formToken)}
<main class="sheet">
<h1>Passkeys</h1>
${done}
${continued === 'add' && continuation('“Add a passkey”')}
${removed && continuation(`“Remove” next to ${removed.name}`)}
<p>A passkey signs you in with your fingerprint, your face or your device’s code instead of a password.</p>
${
  passkeys.length === 0
    ? html`<p class="facts">You have no passkey yet.</p>`
    : html`<ul class="entries">${passkeys.map((passkey) => entry(passkey, session, formToken, passkey === removed))}</ul>`
}
${origin && passkeyAdding({ path: '/passkeys', formToken, origin, focused: continued === 'add' })}
</main>`;
}

function entry(passkey: Passkey, session: Session, formToken: string, focused: boolean): Html {
  const { passkeyId, name, dateTimeCreated, dateTimeUsed } = passkey;
  const added = day(dateTimeCreated, session);
  return html`<li class="entry row">
<div>
<h2>${name}</h2>
<p class="facts">Added on ${added}, ${dateTimeUsed ? `last used on ${day(dateTimeUsed, session)}` : 'not used yet'}</p>
</div>
<form method="post" action="/passkeys/remove">${hidden({ formToken, passkeyId })}
<button class="button ends" aria-label="Remove ${name}, added on ${added}"${focused && html` autofocus`}>Remove</button></form>
</li>`;
}
