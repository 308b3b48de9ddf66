import type { Session } from '../../domain/sign-in/sessions.ts';
import { type Html, hidden, html } from '../browser/page.ts';

/** The header of a signed-in advisor's pages: links to the pages, and signing out. */
export function accountNavigation(here: string, formToken: string): Html {
  const link = (path: string, name: string) =>
    html`<a href="${path}"${here === path && html` aria-current="page"`}>${name}</a>`;
  return html`<nav class="siblings" aria-label="Your account">
${link('/app', 'Texts')}
${link('/connected-apps', 'Connected apps')}
${link('/passkeys', 'Passkeys')}
${link('/sessions', 'Sessions')}
${signOutForm({ formToken, next: '/sign-in', label: 'Sign out' })}
</nav>`;
}

export function signOutForm({ formToken, next, label }: { formToken: string; next: string; label: string }): Html {
  return html`<form method="post" action="/sign-out">${hidden({ formToken, next })}<button class="quiet">${label}</button></form>`;
}

/** A day in the advisor's time zone. */
export function day(date: Date, { timeZone }: Session): string {
  return new Intl.DateTimeFormat('en-US', { dateStyle: 'long', timeZone }).format(date);
}

/** A moment in the advisor's time zone, to the minute. */
export function moment(date: Date, { timeZone }: Session): string {
  return new Intl.DateTimeFormat('en-US', { dateStyle: 'long', timeStyle: 'short', timeZone }).format(date);
}
