// Keeps the log up to date: new calls appear as they are answered, and a call opens beside the list. It fetches the page again
// and copies over what is new.

import { copyOnPress, find } from '/page-parts.js';

const pauseMs = 250;
const lost = 'Not live: the sandbox isn’t responding. Trying again.';

const calls = find('[data-calls]', HTMLElement);
const detail = find('[data-detail]', HTMLElement);
const connection = find('[data-connection]', HTMLElement);
let isStale = false;
let isFetching = false;

calls.addEventListener('click', (event) => {
  const link = event.target instanceof Element ? event.target.closest('a') : null;
  if (!link || event.metaKey || event.ctrlKey || event.shiftKey) return;
  event.preventDefault();
  open(link.href);
});
window.addEventListener('popstate', () => refresh(true));
document.addEventListener('visibilitychange', () => {
  if (isStale) refresh(false);
});
offerCopy();
follow();

function follow() {
  const stream = new EventSource('/log/stream');
  stream.addEventListener('open', () => {
    connection.textContent = 'Live.';
    refresh(false);
  });
  stream.addEventListener('message', () => refresh(false));
  stream.addEventListener('error', () => {
    connection.textContent = lost;
  });
}

/** @param {string} address */
async function open(address) {
  window.history.pushState(null, '', address);
  await refresh(true);
  detail.focus();
}

/**
 * At most one at a time; what comes meanwhile is fetched after it.
 * @param {boolean} withDetail
 */
async function refresh(withDetail) {
  isStale = true;
  if (!withDetail && (isFetching || document.hidden)) return;
  isFetching = true;
  while (isStale) {
    isStale = false;
    await copy(withDetail).catch(() => {
      connection.textContent = lost;
    });
    await new Promise((resolve) => setTimeout(resolve, pauseMs));
  }
  isFetching = false;
}

/** @param {boolean} withDetail */
async function copy(withDetail) {
  const answer = await fetch(window.location.href);
  const page = new DOMParser().parseFromString(await answer.text(), 'text/html');
  const fresh = page.querySelector('[data-calls]');
  // A link that has the focus keeps it, as long as it is in the list.
  const focused = document.activeElement?.closest('[data-call]')?.getAttribute('data-call');
  if (fresh) calls.replaceChildren(...fresh.children);
  if (calls.querySelector(`[data-call="${focused}"]`)) find(`[data-call="${focused}"] a`, HTMLElement).focus();
  const shown = page.querySelector('[data-detail]');
  if (!withDetail || !shown) return;
  detail.replaceChildren(...shown.children);
  offerCopy();
}

function offerCopy() {
  const button = detail.querySelector('[data-copy]');
  if (!(button instanceof HTMLButtonElement)) return;
  button.hidden = false;
  copyOnPress(button, async () => find('[data-curl]', HTMLElement).textContent ?? '');
}
