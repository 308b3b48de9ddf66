import type { FastifyInstance } from 'fastify';
import { listSessions, type OwnSession, type Session } from '../../domain/sign-in/sessions.ts';
import { addSessionEnds, sessionConfirmations, sessionList } from '../browser/own-sign-in.ts';
import { type Html, html, sendPage } from '../browser/page.ts';
import { confirmation } from '../browser/sign-in-parts.ts';
import { accountNavigation, moment } from './frame.ts';
import { advisorOf, type Visits } from './visits.ts';

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
  const at = (date: Date) => moment(date, session);
  return html`${accountNavigation('/sessions', formToken)}
<main class="sheet">
<h1>Where you’re signed in</h1>
${done}
<p>If you don’t recognize one of these, sign it out, and ask your administrator for a link to choose a new password.</p>
${sessionList(sessions, { path: '/sessions', formToken, heading: 'h2', shown: at, said: at })}
</main>`;
}
