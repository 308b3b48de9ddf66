import type { FastifyInstance } from 'fastify';
import { listPasskeys, type Passkey } from '../../domain/sign-in/passkeys.ts';
import { isFresh, listSessions, type OwnSession, type StaffSession } from '../../domain/sign-in/sessions.ts';
import {
  addPasskeyChanges,
  addSessionEnds,
  passkeyConfirmations,
  passkeyList,
  sessionConfirmations,
  sessionList,
} from '../browser/own-sign-in.ts';
import { type Html, hidden, html, sendPage } from '../browser/page.ts';
import { confirmation, passkeyAdding } from '../browser/sign-in-parts.ts';
import type { StaffVisits } from './staff-visits.ts';

const path = '/console/security';
const signIn = '/console/sign-in';
const signInAgain = `${signIn}?${new URLSearchParams({ again: 'yes', next: path })}`;

const confirmations = { ...passkeyConfirmations, ...sessionConfirmations };
const problems = { last: 'This passkey is all that you can sign in with. Add another one before you remove it.' };

/** How somebody signs in to the console. */
export function addSecurity(app: FastifyInstance, visits: StaffVisits): void {
  const { deps, forms, sessionOf, sessionToken } = visits;
  const ownerOf = ({ staffId }: StaffSession) => ({ staffId });

  app.get(path, async (request, reply) => {
    const session = await sessionOf(request);
    if (!session) return reply.redirect(`${signIn}?next=${path}`, 303);
    const content = securityPage({
      passkeys: await listPasskeys(deps, ownerOf(session)),
      sessions: await listSessions(deps, ownerOf(session), sessionToken(request) ?? ''),
      formToken: forms.token(request, reply),
      origin: deps.config.publicUrl,
      done: confirmation(request, confirmations, problems),
      fresh: isFresh(deps, session),
    });
    return sendPage(reply, { title: 'Your sign-in', content, scripts: true, script: '/local-times.js' });
  });

  const passkeys = `${path}/passkeys`;
  addPasskeyChanges(app, visits, { page: path, path: passkeys, ownerOf, signInTo: () => signInAgain });
  addSessionEnds(app, visits, { page: path, path: `${path}/sessions`, signIn, ownerOf });
}

type SecurityPage = {
  passkeys: Passkey[];
  sessions: OwnSession[];
  formToken: string;
  /** Where passkeys can be added. */
  origin: string;
  done: Html | null;
  /** Whether they signed in just now, so that they may change something. */
  fresh: boolean;
};

function securityPage({ passkeys, sessions, formToken, origin, done, fresh }: SecurityPage): Html {
  const lists = { formToken, heading: 'h3', shown: moment, said: utc } as const;
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
<h2>Passkeys</h2>
<p>A passkey signs you in with your fingerprint, your face or your device’s code. With a second one, on another device or a security key, you still get in after you lost the first.</p>
${passkeyList(passkeys, { ...lists, path: `${path}/passkeys` }, fresh)}
${fresh && passkeyAdding({ path: `${path}/passkeys`, formToken, origin, focused: false })}
<h2>Where you’re signed in</h2>
<p>If you don’t recognize one of these, sign it out, and remove the passkeys that you don’t know. A session ends after twelve hours, or after one without use.</p>
${sessionList(sessions, { ...lists, path: `${path}/sessions` })}
</main>`;
}

/** In UTC, until the script puts it into the reader's time zone. */
function moment(date: Date): Html {
  return html`<time datetime="${date.toISOString()}">${utc(date)}</time>`;
}

function utc(date: Date): string {
  return `${new Intl.DateTimeFormat('en-US', { dateStyle: 'long', timeStyle: 'short', timeZone: 'UTC' }).format(date)} UTC`;
}
