import type { FastifyRequest } from 'fastify';
import type { Session } from '../../domain/sign-in/sessions.ts';
import { brand, type Html, hidden, html } from '../browser/page.ts';

/** The line above the pages of an advisor who is signed in: where to go, and out. */
export function rooms(here: string, formToken: string): Html {
  const link = (path: string, name: string) =>
    html`<a href="${path}"${here === path && html` aria-current="page"`}>${name}</a>`;
  return html`<header class="top">${brand}
<nav class="rooms" aria-label="Your account">
${link('/connected-apps', 'Connected apps')}
${link('/passkeys', 'Passkeys')}
${signOutForm({ formToken, next: '/sign-in', label: 'Sign out' })}
</nav></header>`;
}

export function signOutForm({ formToken, next, label }: { formToken: string; next: string; label: string }): Html {
  return html`<form method="post" action="/sign-out">${hidden({ formToken, next })}<button class="quiet">${label}</button></form>`;
}

/** What has just been done, in a sentence: the one of `sentences` that the address names. */
export function confirmation({ query }: FastifyRequest, sentences: Record<string, string>): Html | null {
  const { done } = query as { done?: unknown };
  const found = typeof done === 'string' && Object.hasOwn(sentences, done) ? sentences[done] : null;
  return found ? html`<p class="notice" role="status">${found}</p>` : null;
}

/** A day as the advisor's calendar has it. */
export function day(date: Date, { timeZone }: Session): string {
  return new Intl.DateTimeFormat('en-US', { dateStyle: 'long', timeZone }).format(date);
}
