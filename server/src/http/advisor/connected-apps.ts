import type { FastifyInstance } from 'fastify';
import { allowAgain, type Connection, disconnect, listConnections, listSuspended } from '../../domain/access/grants.ts';
import { byAdvisor } from '../../domain/archive/archive.ts';
import type { Session } from '../../domain/sign-in/sessions.ts';
import { type Html, hidden, html, sendPage } from '../browser/page.ts';
import { confirmation } from '../browser/sign-in-parts.ts';
import { accountNavigation, day } from './frame.ts';
import { scopeList } from './scope-list.ts';
import type { Visits } from './visits.ts';

const confirmations: Record<string, string> = {
  password: 'Your password is set, and you are signed in.',
  disconnected: 'Disconnected. The application can no longer act for you.',
  allowed: 'Allowed again. The application can text for you.',
};

export function addConnectedApps(app: FastifyInstance, { deps, forms, sessionOf }: Visits): void {
  app.get('/connected-apps', async (request, reply) => {
    const session = await sessionOf(request);
    if (!session) return reply.redirect('/sign-in?next=/connected-apps', 303);
    const connections = await listConnections(deps, session.advisorId);
    const suspended = await listSuspended(deps, session.advisorId);
    const formToken = forms.token(request, reply);
    const content = connectedApps({
      connections,
      suspended,
      session,
      formToken,
      done: confirmation(request, confirmations),
    });
    return sendPage(reply, { title: 'Connected apps', content });
  });

  app.get('/connected-apps/disconnect', async (request, reply) => {
    const session = await sessionOf(request);
    if (!session) return reply.redirect('/sign-in?next=/connected-apps', 303);
    const { clientId } = request.query as { clientId?: unknown };
    const connection = (await listConnections(deps, session.advisorId)).find((each) => each.clientId === clientId);
    if (!connection) return reply.redirect('/connected-apps', 303);
    const content = question(connection, forms.token(request, reply));
    return sendPage(reply, { title: `Disconnect ${connection.applicationName}?`, content });
  });

  app.post('/connected-apps/disconnect', async (request, reply) => {
    const fields = forms.read(request);
    const session = await sessionOf(request);
    if (!session) return reply.redirect('/sign-in?next=/connected-apps', 303);
    const { advisorId } = session;
    await disconnect(deps, fields('clientId'), advisorId, byAdvisor(advisorId, request.id));
    return reply.redirect('/connected-apps?done=disconnected', 303);
  });

  app.post('/connected-apps/allow', async (request, reply) => {
    const fields = forms.read(request);
    const session = await sessionOf(request);
    if (!session) return reply.redirect('/sign-in?next=/connected-apps', 303);
    const { advisorId } = session;
    await allowAgain(deps, advisorId, fields('clientId'), byAdvisor(advisorId, request.id));
    return reply.redirect('/connected-apps?done=allowed', 303);
  });
}

type SuspendedApps = Awaited<ReturnType<typeof listSuspended>>;
type ConnectedApps = {
  connections: Connection[];
  suspended: SuspendedApps;
  session: Session;
  formToken: string;
  done: Html | null;
};

function connectedApps({ connections, suspended, session, formToken, done }: ConnectedApps): Html {
  return html`${accountNavigation('/connected-apps', formToken)}
<main class="sheet">
<h1>Connected apps</h1>
${done}
${
  connections.length === 0
    ? html`<p>No application acts for you, ${session.name}. To connect one, start in that application; it appears here once you allow it.</p>`
    : html`<p>These applications act for you, ${session.name}. If you disconnect one, it stops at once.</p>
<ul class="entries">${connections.map((connection) => entry(connection, session))}</ul>`
}
${suspended.length > 0 && endedEntries(suspended, formToken)}
</main>`;
}

function entry({ clientId, applicationName, authorized, provisioned }: Connection, session: Session) {
  return html`<li class="entry">
<h2>${applicationName}</h2>
${
  authorized &&
  html`<p class="facts">Connected on ${day(authorized.since, session)}, ${authorized.lastUsed ? `last used on ${day(authorized.lastUsed, session)}` : 'not used yet'}. It may:</p>
${scopeList(authorized.scopes)}`
}
${provisioned && html`<p>Your firm’s operator ${authorized && 'also '}lets this application text for you.</p>`}
<form action="/connected-apps/disconnect">${hidden({ clientId })}
<button class="button ends">Disconnect ${applicationName}</button></form>
</li>`;
}

/** Your firm's operator let them text; only the advisor who ended that can allow it again from here. */
function endedEntries(suspended: SuspendedApps, formToken: string): Html {
  return html`<h2>Disconnected</h2>
<p>Your firm’s operator lets these applications text for you, and you disconnected them.</p>
<ul class="entries">${suspended.map(
    ({ clientId, applicationName }) => html`<li class="entry row">
<h3>${applicationName}</h3>
<form method="post" action="/connected-apps/allow">${hidden({ formToken, clientId })}
<button class="button">Allow ${applicationName} again</button></form>
</li>`,
  )}</ul>`;
}

/** Asked before anything ends: an application can't be connected again from here. */
function question({ clientId, applicationName, provisioned }: Connection, formToken: string): Html {
  return html`${accountNavigation('/connected-apps', formToken)}
<main class="card">
<h1>Disconnect ${applicationName}?</h1>
<p>It stops at once: it can no longer see or change anything of yours, or text for you.</p>
<p>To connect it again, start in ${applicationName}. ${provisioned && 'You can let it text for you again on the page of connected apps.'}</p>
<form method="post" action="/connected-apps/disconnect">
${hidden({ formToken, clientId })}
<div class="choices">
<a class="button" href="/connected-apps">Keep it</a>
<button class="button ends">Disconnect</button>
</div>
</form>
</main>`;
}
