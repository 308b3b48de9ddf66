import type { FastifyInstance } from 'fastify';
import { listSessions, type OwnSession, type Session } from '../../domain/sign-in/sessions.ts';
import { addSessionEnds, sessionConfirmations } from '../browser/own-sign-in.ts';
import { type Html, hidden, html, sendPage } from '../browser/page.ts';
import { confirmation } from '../browser/sign-in-parts.ts';
import { accountNavigation, moment } from './frame.ts';
import { advisorOf, type Visits } from './visits.ts';

const methods: Record<OwnSession['method'], string> = {
  password: 'with a password',
  passkey: 'with a passkey',
  sandbox: 'with a click, in the sandbox',
};

export function addSessions(app: FastifyInstance, visits: Visits): void {
  const { deps, forms, sessionOf, sessionToken } = visits;

  app.get('/sessions', async (request, reply) => {
    const session = await sessionOf(request);
    if (!session) return reply.redirect('/sign-in?next=/sessions', 303);
    const sessions = await listSessions(deps, { advisorId: session.advisorId }, sessionToken(request) ?? '');
    const formToken = forms.token(request, reply);
    const content = sessionPage({ sessions, session, formToken, done: confirmation(request, sessionConfirmations) });
    return sendPage(reply, { title: 'Where you’re signed in', content });
  });

  addSessionEnds(app, visits, { page: '/sessions', path: '/sessions', signIn: '/sign-in', ownerOf: advisorOf });
}

type SessionPage = { sessions: OwnSession[]; session: Session; formToken: string; done: Html | null };

function sessionPage({ sessions, session, formToken, done }: SessionPage): Html {
  const others = sessions.filter(({ isThis }) => !isThis);
  return html`${accountNavigation('/sessions', formToken)}
<main class="sheet">
<h1>Where you’re signed in</h1>
${done}
<p>If you don’t recognize one of these, sign it out, and ask your administrator for a link to choose a new password.</p>
<ul class="entries">${sessions.filter(({ isThis }) => isThis).map((each) => entry(each, session, formToken))}${others.map((each) => entry(each, session, formToken))}</ul>
${
  others.length > 0 &&
  html`<form method="post" action="/sessions/end">${hidden({ formToken })}
<button class="button ends">Sign out everywhere else</button></form>`
}
</main>`;
}

function entry(each: OwnSession, session: Session, formToken: string): Html {
  const { sessionId, browser, method, signedInAt, seenAt, isThis } = each;
  const since = moment(signedInAt, session);
  return html`<li class="entry row">
<div>
<h2>${browser}</h2>
<p class="facts">${isThis ? 'This browser' : `Last seen on ${moment(seenAt, session)}`}.<br>
Signed in ${methods[method]} on ${since}.</p>
</div>
${
  !isThis &&
  html`<form method="post" action="/sessions/end">${hidden({ formToken, sessionId })}
<button class="button ends" aria-label="Sign out ${browser}, signed in on ${since}">Sign out</button></form>`
}
</li>`;
}
