// Copies commands and code with the sandbox's credentials in them, and makes the calls. The credentials are asked for when
// they are needed; the code on the page is never evaluated.

import { copyOnPress, find } from '/page-parts.js';

const home = find('[data-form-token]', HTMLElement);
const said = find('[data-said]', HTMLElement);
const answer = find('[data-answer]', HTMLElement);
const answerStatus = find('[data-answer-status]', HTMLElement);
const answerBody = find('[data-answer-body]', HTMLElement);
const run = find('[data-run]', HTMLButtonElement);

for (const button of document.querySelectorAll('[data-copy]'))
  onPress(button, async () => button.getAttribute('data-copy') ?? '');
for (const button of document.querySelectorAll('[data-credential]'))
  onPress(button, async () => {
    const { apiKey, accessToken } = await fetchCredentials();
    return button.getAttribute('data-credential') === 'apiKey' ? apiKey : accessToken;
  });
onPress(find('[data-copy-code]', HTMLButtonElement), async () => {
  const { apiKey, accessToken } = await fetchCredentials();
  const code = shownCode().textContent ?? '';
  return code.replaceAll('YOUR_API_KEY', apiKey).replaceAll('YOUR_TOKEN', accessToken);
});
run.addEventListener('click', async () => {
  if (run.ariaDisabled) return;
  run.ariaDisabled = 'true';
  await makeCall().catch(() => show('The sandbox isn’t responding. Try again.', ''));
  run.ariaDisabled = null;
});
for (const choice of document.querySelectorAll('[name=step]'))
  choice.addEventListener('change', () => {
    answer.hidden = true;
  });

async function makeCall() {
  const { method, path, body } = JSON.parse(shownCode().dataset.call ?? '{}');
  const { apiKey, accessToken } = await fetchCredentials();
  const headers = { authorization: `Bearer ${accessToken}`, 'x-api-key': apiKey };
  const begun = performance.now();
  const response = await fetch(path, {
    method,
    headers: body ? { ...headers, 'content-type': 'application/json' } : headers,
    body: body && JSON.stringify(body),
  });
  const text = await response.text();
  const ms = Math.round(performance.now() - begun);
  show(`${response.status} ${response.statusText} · ${ms} ms`, pretty(text));
}

/**
 * @param {string} status
 * @param {string} body
 */
function show(status, body) {
  answer.hidden = false;
  answerStatus.textContent = status;
  answerBody.textContent = body;
}

/** @param {string} text */
function pretty(text) {
  try {
    return JSON.stringify(JSON.parse(text), null, 2);
  } catch {
    return text;
  }
}

/** The block that the two choices show. */
function shownCode() {
  const [step, language] = ['step', 'language'].map((name) => find(`[name=${name}]:checked`, HTMLInputElement).value);
  return find(`[data-step="${step}"][data-language="${language}"]`, HTMLElement);
}

/** @returns {Promise<{ apiKey: string, accessToken: string }>} */
async function fetchCredentials() {
  const { formToken = '', advisor } = home.dataset;
  const response = await fetch('/sandbox/credentials', {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'x-form-token': formToken },
    body: JSON.stringify({ advisorId: Number(advisor) }),
  });
  if (!response.ok) throw new Error('The credentials can’t be read.');
  return response.json();
}

/**
 * @param {Element} button
 * @param {() => Promise<string>} write
 */
function onPress(button, write) {
  copyOnPress(button, write, (copied) => {
    const message = copied ? 'Copied' : copied === false ? 'That can’t be copied. Reload the page and try again.' : '';
    said.textContent = message;
    if (message) button.setAttribute('data-done', message);
    else button.removeAttribute('data-done');
  });
}
