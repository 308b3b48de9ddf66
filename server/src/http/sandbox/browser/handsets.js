// Keeps the phone's screen up to date: new texts appear, and replies are sent without leaving the page. It fetches the
// page again and copies over what is new.

import { find, follow } from '/page-parts.js';

const pollMs = 700;
const unavailable = 'The sandbox isn’t responding. Trying again.';

const texts = find('[data-texts]', HTMLOListElement);
const consents = find('[data-consents]', HTMLUListElement);
const connection = find('[data-connection]', HTMLElement);
const form = find('[data-answer]', HTMLFormElement);
const problem = find('[data-problem]', HTMLElement);
const to = find('select', HTMLSelectElement);
const input = find('[name=text]', HTMLInputElement);

/** The page as it was fetched last: most of the time nothing is new. */
let latestText = '';
/** How many replies were sent: a page that was asked for before one of them may come without it. */
let sent = 0;
/** The recipient is the one who texted last, until the person chooses another. */
let chosen = new URLSearchParams(window.location.search).has('to');
to.addEventListener('change', () => {
  chosen = true;
});
form.addEventListener('submit', (event) => {
  event.preventDefault();
  send(event.submitter);
});
follow(refresh, pollMs);

async function refresh() {
  const sentBefore = sent;
  try {
    const answer = await fetch(window.location.pathname);
    if (!answer.ok) throw new Error(unavailable);
    const text = await answer.text();
    // A reply on its way is shown by `send`, which clears the field at the same time.
    if (text !== latestText && sent === sentBefore && !form.ariaBusy) {
      latestText = text;
      update(parse(text));
    }
    show(connection, '');
  } catch {
    show(connection, unavailable);
  }
}

/** @param {HTMLElement | null} button */
async function send(button) {
  if (form.ariaBusy) return;
  form.ariaBusy = 'true';
  try {
    const fields = new URLSearchParams();
    for (const [name, value] of new FormData(form, button)) fields.append(name, String(value));
    const answer = await fetch(form.action, { method: 'POST', body: fields });
    const page = parse(await answer.text());
    const message = page.querySelector('[role=alert]') ?? page.querySelector('main p');
    const refused = answer.ok ? '' : (message?.textContent ?? unavailable);
    show(problem, refused);
    if (answer.ok) {
      chosen = true;
      update(page);
      if (fields.get('quick') === null) input.value = '';
    }
  } catch {
    show(problem, 'The sandbox isn’t responding. Your reply is still here: send it again.');
  }
  sent += 1;
  form.ariaBusy = null;
}

/** @param {string} text */
function parse(text) {
  return new DOMParser().parseFromString(text, 'text/html');
}

/** @param {Document} page */
function update(page) {
  const fresh = [...page.querySelectorAll('[data-texts] > li')];
  // The oldest make room, and a reset takes all of them.
  const ids = new Set(fresh.map(({ id }) => id));
  for (const each of [...texts.children]) if (!ids.has(each.id)) each.remove();
  /** @type {Element | null} */
  let place = null;
  for (const text of fresh) {
    const there = document.getElementById(text.id);
    const shown = there ?? document.importNode(text, true);
    if (there) updateStatus(there, text);
    if (!there && place) place.after(shown);
    else if (!there) texts.append(shown);
    place = shown;
  }
  const states = page.querySelector('[data-consents]');
  if (states && states.innerHTML !== consents.innerHTML)
    consents.replaceChildren(...[...states.children].map((each) => document.importNode(each, true)));
  const latest = page.querySelector('select')?.value;
  if (!chosen && latest) to.value = latest;
}

/**
 * Only the status of a text changes.
 * @param {Element} shown
 * @param {Element} text
 */
function updateStatus(shown, text) {
  const [place, status] = [shown, text].map((each) => each.querySelector('[data-status]'));
  if (place && status && place.textContent !== status.textContent) place.textContent = status.textContent;
}

/**
 * @param {HTMLElement} place
 * @param {string} text
 */
function show(place, text) {
  if (place.textContent !== text) place.textContent = text;
  place.hidden = text === '';
}
