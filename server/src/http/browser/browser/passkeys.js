// Passkeys on the pages that have a place for them. The place stays hidden if the browser doesn't support passkeys, or if
// the page was opened at a different origin from the one that passkeys belong to. It says which path takes its calls, and which fields
// of the page go with them.

/** @type {typeof import('@simplewebauthn/browser')} */
const webauthn = Reflect.get(globalThis, 'SimpleWebAuthnBrowser');

/** A challenge lasts five minutes. The one behind the email field is renewed before that. */
const renewMs = 4 * 60 * 1000;
const failed = 'That didn’t work. Reload the page and try again.';

const signIn = place('[data-passkey-sign-in]');
if (signIn) {
  onPress(signIn, () => signInByPasskey(signIn, false));
  offerInEmailField(signIn);
}

const adding = place('[data-passkey-adding]');
if (adding) {
  onPress(adding, async () => {
    const fields = fieldsOf(adding);
    const optionsJSON = await post(adding, '/options', fields);
    const response = await webauthn.startRegistration({ optionsJSON });
    const { location } = await post(adding, '', { ...fields, response });
    window.location.assign(location);
  });
}

/**
 * Shows the place and returns it, or null if there is none or passkeys can't work.
 * @param {string} selector
 */
function place(selector) {
  const found = document.querySelector(selector);
  if (!(found instanceof HTMLElement) || !webauthn.browserSupportsWebAuthn()) return null;
  if (found.dataset.origin !== window.location.origin) return null;
  found.hidden = false;
  document.querySelector('[data-passkey-elsewhere]')?.remove();
  // The browser skipped it while it was hidden.
  const button = found.querySelector('button');
  if (button?.autofocus) button.focus();
  return found;
}

/**
 * One press at a time. An error replaces the message above the button.
 * @param {HTMLElement} place
 * @param {() => Promise<void>} act
 */
function onPress(place, act) {
  const button = place.querySelector('button');
  button?.addEventListener('click', async () => {
    if (button.ariaDisabled) return;
    button.ariaDisabled = 'true';
    document.querySelector('[role=status]')?.remove();
    show(place, '');
    await act().catch((error) => show(place, explain(error)));
    button.ariaDisabled = null;
  });
}

/**
 * @param {HTMLElement} place
 * @param {boolean} useBrowserAutofill
 */
async function signInByPasskey(place, useBrowserAutofill) {
  const optionsJSON = await post(place, '/options', {});
  const response = await webauthn.startAuthentication({ optionsJSON, useBrowserAutofill });
  const { location } = await post(place, '', { response, next: place.dataset.next });
  window.location.assign(location);
}

/**
 * The browser offers passkeys in the email field's autofill. Pressing the button ends the offer.
 * @param {HTMLElement} place
 */
async function offerInEmailField(place) {
  const field = document.querySelector('[autocomplete~=webauthn]');
  if (!field || !(await webauthn.browserSupportsWebAuthnAutofill())) return;
  const renewal = setInterval(offer, renewMs);
  place.querySelector('button')?.addEventListener('click', () => clearInterval(renewal));
  offer();

  function offer() {
    signInByPasskey(place, true).catch((error) => {
      // Show that a chosen passkey was refused, but not that none was chosen.
      if (error instanceof PasskeyRefusal) show(place, error.message);
    });
  }
}

/** @param {HTMLElement} place */
function fieldsOf(place) {
  const names = (place.dataset.fields ?? '').split(' ');
  const inputs = names.map((name) => document.getElementById(name)).filter((each) => each instanceof HTMLInputElement);
  return Object.fromEntries(inputs.map(({ name, value }) => [name, value]));
}

/**
 * @param {HTMLElement} place
 * @param {string} below
 * @param {object} body
 */
async function post(place, below, body) {
  const answer = await fetch(`${place.dataset.path}${below}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'x-form-token': place.dataset.formToken ?? '' },
    body: JSON.stringify(body),
  });
  const result = await answer.json().catch(() => ({}));
  if (answer.ok) return result;
  // Another page comes first: signing in again.
  if (result.location) window.location.assign(result.location);
  throw new PasskeyRefusal(result.message ?? (result.location ? '' : failed));
}

/** The server refused, and this is its message. */
class PasskeyRefusal extends Error {}

/** @param {unknown} error */
function explain(error) {
  if (error instanceof PasskeyRefusal) return error.message;
  const { code, name } = /** @type {{ code?: string, name?: string }} */ (error);
  if (code === 'ERROR_AUTHENTICATOR_PREVIOUSLY_REGISTERED') return 'This device already has a passkey of yours.';
  if (name === 'NotAllowedError' || name === 'AbortError') return 'Nothing was done: it was canceled or took too long.';
  return failed;
}

/**
 * @param {HTMLElement} place
 * @param {string} text
 */
function show(place, text) {
  const notice = place.querySelector('[role=alert]');
  if (!(notice instanceof HTMLElement)) return;
  notice.textContent = text;
  notice.hidden = text === '';
}
