import type { FastifyInstance } from 'fastify';
import { signInByPasskey, signInOptions } from '../../domain/sign-in/passkey-sign-in.ts';
import {
  addPasskey,
  type Passkey,
  passkeysMax,
  registrationOptions,
  removePasskey,
} from '../../domain/sign-in/passkeys.ts';
import { type OwnSession, signOutElsewhere } from '../../domain/sign-in/sessions.ts';
import { byOwner } from '../../domain/sign-in/sign-in-records.ts';
import { type Html, hidden, html } from './page.ts';
import { sendTooMany } from './sign-in-parts.ts';
import type { BrowserVisits } from './visits.ts';

/** What advisors and staff both do about how they sign in: sign in by a passkey, add and remove passkeys, end sessions. */

type Owner = Parameters<typeof byOwner>[0];
type Person = { signedInAt: Date; name: string; email: string; firmName?: string | null };

/** What the page says once it was done, or why it wasn't, by the name that its URL then has. */
export const passkeyConfirmations = {
  added: 'Passkey added. You can now sign in with it.',
  removed: 'Passkey removed. It no longer signs you in here; you can delete it on your device too.',
};
export const sessionConfirmations = { one: 'Signed out there.', others: 'Signed out everywhere else.' };

const refusals = {
  too_many: `You have ${passkeysMax} passkeys already. Remove one first.`,
  not_verified: 'That passkey couldn’t be added. Try again.',
};

export function addPasskeySignIn<Session extends Person>(
  app: FastifyInstance,
  { deps, forms, attemptOf, begin }: BrowserVisits<Session>,
  {
    path,
    kind,
    refused,
    pathOf,
  }: { path: string; kind: 'advisor' | 'staff'; refused: string; pathOf(next: unknown): string },
): void {
  app.post(`${path}/passkey/options`, async (request, reply) => {
    forms.readJson(request);
    const options = await signInOptions(deps, request.ip);
    return 'refused' in options ? sendTooMany(reply, options.retryAfterSeconds) : options;
  });

  app.post(`${path}/passkey`, async (request, reply) => {
    const { response, next } = forms.readJson(request);
    const result = await signInByPasskey(deps, kind, response, attemptOf(request));
    if (result.refused === 'throttled') return sendTooMany(reply, result.retryAfterSeconds);
    if (result.refused) return reply.code(400).send({ message: refused });
    await begin(request, reply, result.session);
    return { location: pathOf(next) };
  });
}

/** Only somebody who signed in just now may change how they sign in: a stolen session can't. */
export function addPasskeyChanges<Session extends Person>(
  app: FastifyInstance,
  { deps, forms, freshSessionOf }: BrowserVisits<Session>,
  pages: { page: string; path: string; ownerOf(session: Session): Owner; signInTo(what: 'add' | string): string },
): void {
  const { page, path, ownerOf, signInTo } = pages;

  app.post(`${path}/options`, async (request, reply) => {
    forms.readJson(request);
    const session = await freshSessionOf(request);
    if (!session) return reply.code(401).send({ location: signInTo('add') });
    const options = await registrationOptions(deps, ownerOf(session), session);
    return 'refused' in options ? reply.code(400).send({ message: refusals[options.refused] }) : options;
  });

  app.post(path, async (request, reply) => {
    const { response } = forms.readJson(request);
    const session = await freshSessionOf(request);
    if (!session) return reply.code(401).send({ location: signInTo('add') });
    const owner = ownerOf(session);
    const result = await addPasskey(deps, owner, response, byOwner(owner, request.id));
    if ('refused' in result) return reply.code(400).send({ message: refusals[result.refused] });
    return { location: `${page}?done=added` };
  });

  app.post(`${path}/remove`, async (request, reply) => {
    const passkeyId = forms.read(request)('passkeyId');
    const session = await freshSessionOf(request);
    if (!session) return reply.redirect(signInTo(passkeyId), 303);
    const owner = ownerOf(session);
    const removed = await removePasskey(deps, owner, passkeyId, byOwner(owner, request.id));
    const said = { removed: '?done=removed', last: '?wrong=last', unknown: '' }[removed];
    return reply.redirect(page + said, 303);
  });
}

export function addSessionEnds<Session extends Person>(
  app: FastifyInstance,
  { deps, forms, sessionOf, sessionToken }: BrowserVisits<Session>,
  { page, path, signIn, ownerOf }: { page: string; path: string; signIn: string; ownerOf(session: Session): Owner },
): void {
  app.post(`${path}/end`, async (request, reply) => {
    const sessionId = forms.read(request)('sessionId');
    const session = await sessionOf(request);
    if (!session) return reply.redirect(`${signIn}?next=${page}`, 303);
    const owner = ownerOf(session);
    const which = sessionId ? { sessionId } : { except: sessionToken(request) ?? '' };
    await signOutElsewhere(deps, owner, which, byOwner(owner, request.id));
    return reply.redirect(`${page}?done=${sessionId ? 'one' : 'others'}`, 303);
  });
}

/** How the lists show: where their forms lead, and a time, which within a label is only text. */
type Lists = {
  path: string;
  formToken: string;
  heading: 'h2' | 'h3';
  shown(date: Date): Html | string;
  said(date: Date): string;
};

/** `removable` is false while they have to sign in again first, or the id of the one whose button has the focus. */
export function passkeyList(
  passkeys: Passkey[],
  { path, formToken, heading, shown, said }: Lists,
  removable: boolean | string,
): Html {
  const entry = ({ passkeyId, name, dateTimeCreated, dateTimeUsed }: Passkey) => html`<li class="entry row">
<div>
<${heading}>${name}</${heading}>
<p class="facts">Added on ${shown(dateTimeCreated)}, ${dateTimeUsed ? html`last used on ${shown(dateTimeUsed)}` : 'not used yet'}</p>
</div>
${
  removable &&
  html`<form method="post" action="${path}/remove">${hidden({ formToken, passkeyId })}
<button class="button ends" aria-label="Remove ${name}, added on ${said(dateTimeCreated)}"${passkeyId === removable && html` autofocus`}>Remove</button></form>`
}
</li>`;
  if (passkeys.length === 0) return html`<p class="facts">You have no passkey yet.</p>`;
  return html`<ul class="entries">${passkeys.map(entry)}</ul>`;
}

const methods: Record<OwnSession['method'], string> = {
  password: 'with a password',
  passkey: 'with a passkey',
  sandbox: 'with a click, in the sandbox',
};

export function sessionList(sessions: OwnSession[], { path, formToken, heading, shown, said }: Lists): Html {
  const [own, others] = [sessions.filter(({ isThis }) => isThis), sessions.filter(({ isThis }) => !isThis)];
  const entry = ({ sessionId, browser, method, signedInAt, seenAt, isThis }: OwnSession) => html`<li class="entry row">
<div>
<${heading}>${browser}</${heading}>
<p class="facts">${isThis ? 'This browser' : html`Last seen on ${shown(seenAt)}`}.<br>
Signed in ${methods[method]} on ${shown(signedInAt)}.</p>
</div>
${
  !isThis &&
  html`<form method="post" action="${path}/end">${hidden({ formToken, sessionId })}
<button class="button ends" aria-label="Sign out ${browser}, signed in on ${said(signedInAt)}">Sign out</button></form>`
}
</li>`;
  return html`<ul class="entries">${[...own, ...others].map(entry)}</ul>
${
  others.length > 0 &&
  html`<form method="post" action="${path}/end">${hidden({ formToken })}
<button class="button ends">Sign out everywhere else</button></form>`
}`;
}
