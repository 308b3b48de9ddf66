import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { byStaff } from '../../domain/archive/archive.ts';
import { addPasskey, type Passkey, passkeysMax, registrationOptions } from '../../domain/sign-in/passkeys.ts';
import { passwordLengthMin } from '../../domain/sign-in/passwords.ts';
import { recoveryCodesMax } from '../../domain/sign-in/recovery-codes.ts';
import {
  isFresh,
  listSessions,
  type OwnSession,
  type StaffSession,
  signOutElsewhere,
} from '../../domain/sign-in/sessions.ts';
import {
  beginSetUp,
  changeAuthenticator,
  changePassword,
  removeStaffPasskey,
  renewRecoveryCodes,
  type StaffAccess,
  setUpIn,
  staffAccess,
} from '../../domain/sign-in/staff-credentials.ts';
import { passkeysPossible } from '../../domain/sign-in/webauthn.ts';
import { type Html, hidden, html, sendPage } from '../browser/page.ts';
import { confirmation, newPasswordFields, passkeyAdding } from '../browser/sign-in-parts.ts';
import { sendAuthenticatorPage, sendRecoveryCodes, wrongCode } from './authenticator.ts';
import type { StaffVisits } from './staff-visits.ts';

const path = '/console/security';
const signInAgain = `/console/sign-in?${new URLSearchParams({ again: 'yes', next: path })}`;
const back = { path, name: 'I saved them: go back' };

const confirmations: Record<string, string> = {
  'passkey-added': 'Passkey added. You can now sign in with it.',
  'passkey-removed': 'Passkey removed. It no longer signs you in here; you can delete it on your device too.',
  password: 'Password changed. You are signed out everywhere else.',
  one: 'Signed out there.',
  others: 'Signed out everywhere else.',
};
const problems: Record<string, string> = {
  last: 'This passkey is all that you can sign in with. Add another one, or a password, before you remove it.',
  differ: 'The two passwords are different. Nothing was changed.',
  short: `A password needs at least ${passwordLengthMin} characters. Nothing was changed.`,
};
const refusals = {
  too_many: `You have ${passkeysMax} passkeys already. Remove one first.`,
  not_verified: 'That passkey couldn’t be added. Try again.',
};

/** How somebody signs in to the console. Only who signed in just now may change it: a stolen session can't. */
export function addSecurity(app: FastifyInstance, visits: StaffVisits): void {
  const { deps, forms, sessionOf, freshSessionOf } = visits;
  const changeOf = (request: FastifyRequest, { staffId }: StaffSession) => ({
    keep: visits.sessionToken(request) ?? '',
    by: byStaff(staffId, request.id),
  });

  app.get(path, async (request, reply) => {
    const session = await sessionOf(request);
    if (!session) return reply.redirect(`/console/sign-in?next=${path}`, 303);
    const { staffId } = session;
    const content = securityPage({
      access: await staffAccess(deps, staffId),
      sessions: await listSessions(deps, { staffId }, visits.sessionToken(request) ?? ''),
      formToken: forms.token(request, reply),
      origin: passkeysPossible(deps) ? deps.config.publicUrl : null,
      canSeal: deps.sealer.canSeal,
      done: confirmation(request, confirmations, problems),
      fresh: isFresh(deps, session),
    });
    return sendPage(reply, { title: 'Your sign-in', content, scripts: true, script: '/local-times.js' });
  });

  app.post(`${path}/passkeys/options`, async (request, reply) => {
    forms.readJson(request);
    const session = await freshSessionOf(request);
    if (!session) return reply.code(401).send({ location: signInAgain });
    const options = await registrationOptions(deps, { staffId: session.staffId }, session);
    return 'refused' in options ? reply.code(400).send({ message: refusals[options.refused] }) : options;
  });

  app.post(`${path}/passkeys`, async (request, reply) => {
    const { response } = forms.readJson(request);
    const session = await freshSessionOf(request);
    if (!session) return reply.code(401).send({ location: signInAgain });
    const { staffId } = session;
    const result = await addPasskey(deps, { staffId }, response, byStaff(staffId, request.id));
    if ('refused' in result) return reply.code(400).send({ message: refusals[result.refused] });
    return { location: `${path}?done=passkey-added` };
  });

  app.post(`${path}/passkeys/remove`, async (request, reply) => {
    const fields = forms.read(request);
    const session = await freshSessionOf(request);
    if (!session) return reply.redirect(signInAgain, 303);
    const { staffId } = session;
    const removed = await removeStaffPasskey(deps, staffId, fields('passkeyId'), byStaff(staffId, request.id));
    const said = { removed: '?done=passkey-removed', last: '?wrong=last', unknown: '' }[removed];
    return reply.redirect(path + said, 303);
  });

  app.post(`${path}/password`, async (request, reply) => {
    const fields = forms.read(request);
    const session = await freshSessionOf(request);
    if (!session) return reply.redirect(signInAgain, 303);
    const password = fields('password');
    if (password !== fields('repeated')) return reply.redirect(`${path}?wrong=differ`, 303);
    const result = await changePassword(deps, session.staffId, password, changeOf(request, session));
    // Their first password: it needs its second factor.
    if (result === false) return sendSetUp(visits, request, reply, await beginSetUp(deps, session, password));
    return reply.redirect(`${path}?${result === true ? 'done=password' : 'wrong=short'}`, 303);
  });

  app.post(`${path}/authenticator`, async (request, reply) => {
    forms.read(request);
    const session = await freshSessionOf(request);
    if (!session) return reply.redirect(signInAgain, 303);
    return sendSetUp(visits, request, reply, await beginSetUp(deps, session, null));
  });

  app.post(`${path}/authenticator/code`, async (request, reply) => {
    const fields = forms.read(request);
    const session = await freshSessionOf(request);
    if (!session) return reply.redirect(signInAgain, 303);
    const [step, code] = [fields('step'), fields('totp')];
    const codes = await changeAuthenticator(deps, session.staffId, { step, code }, changeOf(request, session));
    if (codes) return sendRecoveryCodes(reply, codes, back);
    const setUp = setUpIn(deps, session, step);
    return setUp ? sendSetUp(visits, request, reply, setUp, wrongCode) : reply.redirect(path, 303);
  });

  app.post(`${path}/recovery-codes`, async (request, reply) => {
    forms.read(request);
    const session = await freshSessionOf(request);
    if (!session) return reply.redirect(signInAgain, 303);
    const codes = await renewRecoveryCodes(deps, session.staffId, byStaff(session.staffId, request.id));
    return codes ? sendRecoveryCodes(reply, codes, back) : reply.redirect(path, 303);
  });

  app.post(`${path}/sessions/end`, async (request, reply) => {
    const fields = forms.read(request);
    const session = await sessionOf(request);
    if (!session) return reply.redirect(`/console/sign-in?next=${path}`, 303);
    const sessionId = fields('sessionId');
    const { keep, by } = changeOf(request, session);
    await signOutElsewhere(deps, { staffId: session.staffId }, sessionId ? { sessionId } : { except: keep }, by);
    return reply.redirect(`${path}?done=${sessionId ? 'one' : 'others'}`, 303);
  });
}

function sendSetUp(
  { forms }: StaffVisits,
  request: FastifyRequest,
  reply: FastifyReply,
  setUp: Awaited<ReturnType<typeof beginSetUp>>,
  problem?: typeof wrongCode,
): FastifyReply {
  if ('refused' in setUp) return reply.redirect(`${path}?wrong=short`, 303);
  const fields = { formToken: forms.token(request, reply) };
  return sendAuthenticatorPage(reply, { setUp, problem, action: `${path}/authenticator/code`, fields });
}

type SecurityPage = {
  access: StaffAccess;
  sessions: OwnSession[];
  formToken: string;
  /** Where passkeys can be added, if they can be. */
  origin: string | null;
  /** Whether an authenticator's secret can be stored. */
  canSeal: boolean;
  done: Html | null;
  /** Whether they signed in just now, so that they may change something. */
  fresh: boolean;
};

function securityPage(page: SecurityPage): Html {
  const { formToken, done, fresh } = page;
  return html`<nav class="siblings" aria-label="Your account">
<a href="/console">Console</a>
<a href="${path}" aria-current="page">Your sign-in</a>
<form method="post" action="/console/sign-out">${hidden({ formToken })}<button class="quiet">Sign out</button></form>
</nav>
<main class="sheet">
<h1>Your sign-in</h1>
${done}
${
  !fresh &&
  html`<p>How you sign in can be changed for five minutes after you signed in.</p>
<p><a class="button main" href="${signInAgain}">Sign in again to change it</a></p>`
}
${passkeySection(page)}
${passwordSection(page)}
${sessionSection(page)}
</main>`;
}

function passkeySection({ access: { passkeys }, formToken, origin, fresh }: SecurityPage): Html {
  return html`<h2>Passkeys</h2>
<p>A passkey signs you in with your fingerprint, your face or your device’s code. It needs no password and no app.</p>
${
  passkeys.length === 0
    ? html`<p class="facts">You have no passkey yet.</p>`
    : html`<ul class="entries">${passkeys.map((passkey) => passkeyEntry(passkey, formToken, fresh))}</ul>`
}
${fresh && origin && passkeyAdding({ path: `${path}/passkeys`, formToken, origin, focused: false })}`;
}

function passkeyEntry(
  { passkeyId, name, dateTimeCreated, dateTimeUsed }: Passkey,
  formToken: string,
  fresh: boolean,
): Html {
  return html`<li class="entry row">
<div>
<h3>${name}</h3>
<p class="facts">Added on ${moment(dateTimeCreated)}, ${dateTimeUsed ? html`last used on ${moment(dateTimeUsed)}` : 'not used yet'}</p>
</div>
${
  fresh &&
  html`<form method="post" action="${path}/passkeys/remove">${hidden({ formToken, passkeyId })}
<button class="button ends" aria-label="Remove ${name}, added on ${utc(dateTimeCreated)}">Remove</button></form>`
}
</li>`;
}

function passwordSection({
  access: { hasPassword, recoveryCodesLeft },
  formToken,
  canSeal,
  fresh,
}: SecurityPage): Html {
  if (!hasPassword && !canSeal) return html``;
  return html`<h2>Password and authenticator app</h2>
<p>${
    hasPassword
      ? `You can sign in with your password and a code from your app. ${recoveryCodesLeft} of your ${recoveryCodesMax} recovery codes are left for when you don’t have the app.`
      : 'You have no password. You can add one, with an app for one-time codes.'
  }</p>
${
  fresh &&
  html`<form class="narrow" method="post" action="${path}/password">
${hidden({ formToken })}
${newPasswordFields()}
<button class="button">${hasPassword ? 'Change the password' : 'Add a password'}</button>
</form>`
}
${
  fresh &&
  hasPassword &&
  html`<div class="beside">
<form method="post" action="${path}/authenticator">${hidden({ formToken })}<button class="button">Replace the authenticator app</button></form>
<form method="post" action="${path}/recovery-codes">${hidden({ formToken })}<button class="button">Make new recovery codes</button></form>
</div>`
}`;
}

const methods: Record<OwnSession['method'], string> = {
  password: 'with a password and a code',
  passkey: 'with a passkey',
  sandbox: 'with a click, in the sandbox',
};

function sessionSection({ sessions, formToken }: SecurityPage): Html {
  const others = sessions.filter(({ isThis }) => !isThis);
  return html`<h2>Where you’re signed in</h2>
<p>If you don’t recognize one of these, sign it out, and change how you sign in. A session ends after twelve hours, or after one without use.</p>
<ul class="entries">${[...sessions.filter(({ isThis }) => isThis), ...others].map((each) => sessionEntry(each, formToken))}</ul>
${
  others.length > 0 &&
  html`<form method="post" action="${path}/sessions/end">${hidden({ formToken })}
<button class="button ends">Sign out everywhere else</button></form>`
}`;
}

function sessionEntry({ sessionId, browser, method, signedInAt, seenAt, isThis }: OwnSession, formToken: string): Html {
  return html`<li class="entry row">
<div>
<h3>${browser}</h3>
<p class="facts">${isThis ? 'This browser' : html`Last seen on ${moment(seenAt)}`}.<br>
Signed in ${methods[method]} on ${moment(signedInAt)}.</p>
</div>
${
  !isThis &&
  html`<form method="post" action="${path}/sessions/end">${hidden({ formToken, sessionId })}
<button class="button ends" aria-label="Sign out ${browser}, signed in on ${utc(signedInAt)}">Sign out</button></form>`
}
</li>`;
}

/** In UTC, until the script puts it into the reader's time zone. */
function moment(date: Date): Html {
  return html`<time datetime="${date.toISOString()}">${utc(date)}</time>`;
}

function utc(date: Date): string {
  return `${new Intl.DateTimeFormat('en-US', { dateStyle: 'long', timeStyle: 'short', timeZone: 'UTC' }).format(date)} UTC`;
}
