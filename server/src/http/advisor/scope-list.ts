import { type allScopes, scopesForAdvisors } from '../../domain/access/scopes.ts';
import { type Html, html } from '../browser/page.ts';

/** What an application may do, in plain words: your identity first, how long it lasts last. */
export function scopeList(scopes: string[]): Html {
  const inOrder = Object.keys(scopesForAdvisors) as typeof allScopes;
  const asked = inOrder.filter((scope) => scopes.includes(scope));
  return html`<ul class="scopes">${asked.map((scope) => html`<li>${scopesForAdvisors[scope]}</li>`)}</ul>`;
}
