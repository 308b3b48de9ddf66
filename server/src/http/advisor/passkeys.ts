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
import { confirmation, day, rooms } from './frame.ts';
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
    const passkeys = await listPasskeys(deps, session.advisorId);
    const formToken = forms.token(request, reply);
    const origin = passkeysPossible(deps) ? deps.config.publicUrl : null;
    const done = confirmation(request, confirmations);
    const continued = isFresh(session) ? continuedIn(request) : null;
    const content = passkeyPage({ passkeys, session, formToken, origin, done, continued });
    return sendPage(reply, { title: 'Passkeys', content, scripts: origin !== null });
  });

  app.post('/passkeys/remove', async (request, reply) => {
    const fields = forms.read(request);
    const session = await freshSessionOf(request);
    if (!session) return reply.redirect(signInToContinue(fields('passkeyId')), 303);
    const by = byAdvisor(session.advisorId, request.id);
    await removePasskey(deps, session.advisorId, fields('passkeyId'), by);
    return reply.redirect('/passkeys?done=removed', 303);
  });

  app.post('/passkeys/options', async (request, reply) => {
    forms.readJson(request);
    const session = await freshSessionOf(request);
    if (!session) return reply.code(401).send({ location: signInToContinue('add') });
    const options = await registrationOptions(deps, session);
    return 'refused' in options ? reply.code(400).send({ message: refusals[options.refused] }) : options;
  });

  app.post('/passkeys', async (request, reply) => {
    const { response } = forms.readJson(request);
    const session = await freshSessionOf(request);
    if (!session) return reply.code(401).send({ location: signInToContinue('add') });
    const result = await addPasskey(deps, session.advisorId, response, byAdvisor(session.advisorId, request.id));
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
  return html`${rooms('/passkeys', formToken)}
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
${origin && passkeyAdding(formToken, origin, continued === 'add')}
</main>`;
}

/** The button to press next has the focus. */
function continuation(button: string): Html {
  return html`<p class="notice" role="status">You are signed in. Press ${button} to continue.</p>`;
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

/** Hidden until the script finds that passkeys work here. */
function passkeyAdding(formToken: string, origin: string, focused: boolean): Html {
  return html`<div hidden data-passkey-adding data-origin="${origin}" data-form-token="${formToken}">
<p class="notice bad" role="alert" hidden></p>
<button class="button main" type="button"${focused && html` autofocus`}>Add a passkey</button>
</div>
<p class="facts" data-passkey-elsewhere>To add a passkey, open this page at ${origin} in a browser that supports passkeys and runs JavaScript.</p>`;
}
