// Keeps the page up to date: new deliveries appear at the top, and buttons act without leaving the page. It fetches the
// page again and copies over what is new.

import { copyOnPress, find, follow } from '/page-parts.js';

const pollMs = 1_000;
const unavailable = 'The sandbox isn’t responding. Trying again.';

const deliveries = find('[data-deliveries]', HTMLOListElement);
const endpoints = find('[data-endpoints]', HTMLUListElement);
const connection = find('[data-connection]', HTMLElement);
const filter = find('[data-filter]', HTMLFormElement);

filter.addEventListener('change', () => filter.requestSubmit());
document.addEventListener('submit', (event) => {
  const form = event.target;
  if (!(form instanceof HTMLFormElement) || form.dataset.act === undefined) return;
  event.preventDefault();
  send(form);
});
for (const button of document.querySelectorAll('button[data-copy]')) {
  button.removeAttribute('hidden');
  const from = document.querySelector(button.getAttribute('data-copy') ?? '');
  copyOnPress(button, async () => from?.textContent ?? '');
}
follow(refresh, pollMs);

/** @param {{ force?: boolean }} how With `force`, endpoints also while somebody uses them. */
async function refresh({ force = false } = {}) {
  try {
    const answer = await fetch(window.location.href);
    if (!answer.ok) throw new Error(unavailable);
    update(new DOMParser().parseFromString(await answer.text(), 'text/html'), force);
    show('');
  } catch {
    show(unavailable);
  }
}

/** @param {HTMLFormElement} form */
async function send(form) {
  if (form.ariaBusy) return;
  form.ariaBusy = 'true';
  const fields = new URLSearchParams();
  for (const [name, value] of new FormData(form)) fields.append(name, String(value));
  await fetch(form.action, { method: 'POST', body: fields }).catch(() => {});
  form.ariaBusy = null;
  await refresh({ force: true });
}

/**
 * @param {Document} page
 * @param {boolean} force
 */
function update(page, force) {
  const fresh = [...page.querySelectorAll('[data-deliveries] > li')];
  /** @type {Element | null} */
  let place = null;
  for (const each of fresh) {
    const shown = document.getElementById(each.id) ?? document.importNode(each, true);
    if (!shown.isConnected && place) place.after(shown);
    else if (!shown.isConnected) deliveries.prepend(shown);
    place = shown;
  }
  // Older ones make room, unless somebody reads them.
  const ids = new Set(fresh.map(({ id }) => id));
  for (const each of [...deliveries.children]) if (!ids.has(each.id) && !each.querySelector('[open]')) each.remove();
  const states = page.querySelector('[data-endpoints]');
  const isFocused = endpoints.contains(document.activeElement);
  const isInUse = isFocused || endpoints.querySelector('[open]');
  if (!states || (isInUse && !force) || states.innerHTML === endpoints.innerHTML) return;
  endpoints.replaceChildren(...[...states.children].map((each) => document.importNode(each, true)));
  // Focus is never lost.
  if (isFocused) find('.endpoints h2', HTMLElement).focus();
}

/** @param {string} text */
function show(text) {
  if (connection.textContent !== text) connection.textContent = text;
}
