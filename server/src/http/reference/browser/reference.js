// Draws the reference from openapi.json. In the sandbox it also fills in the credentials, and renews them in time.

import { find } from '/page-parts.js';

const freshMs = 10 * 60 * 1000;
const checkMs = 30 * 1000;

const container = find('[data-reference]', HTMLElement);
const advisor = document.querySelector('select[data-advisor]');
const about = document.querySelector('[data-about][role=status]');
const formToken = document.querySelector('[data-form-token]')?.getAttribute('data-form-token') ?? '';
let filledAtMs = 0;

const [content, credentials, createApiReference] = await Promise.all([
  description(),
  fetchCredentials(),
  scalar(),
]).catch((error) => {
  find('[data-loading]', HTMLElement).textContent = 'The reference can’t be loaded. Reload the page to try again.';
  throw error;
});
container.replaceChildren();
const reference = createApiReference(container, configuration(credentials));
if (!window.location.hash.startsWith('#model')) foldModels();
advisor?.addEventListener('change', fill);
document.addEventListener('visibilitychange', renew);
setInterval(renew, checkMs);

/** @typedef {{ apiKey?: string, accessToken?: string }} Credentials */
/** @typedef {(container: Element, configuration: object) => { updateConfiguration(configuration: object): void }} Create */

/** @param {Credentials} credentials */
function configuration({ apiKey = '', accessToken = '' }) {
  return {
    content,
    authentication: {
      preferredSecurityScheme: [['accessToken', 'apiKey']],
      securitySchemes: { accessToken: { token: accessToken }, apiKey: { value: apiKey } },
    },
    theme: 'none',
    withDefaultFonts: false,
    // The colors are the system's choice, as on our other pages.
    hideDarkModeToggle: true,
    orderSchemaPropertiesBy: 'preserve',
    defaultOpenAllTags: true,
    documentDownloadType: 'none',
    localization: { translations: { apiClient: { authSelector: { selectedType: '{type}' } } } },
    persistAuth: false,
    // Nothing that would call or lead to Scalar's own services.
    telemetry: false,
    agent: { disabled: true },
    mcp: { disabled: true },
    hideClientButton: true,
    showDeveloperTools: 'never',
  };
}

/**
 * openapi.json, with calls to the host where the page was opened, localhost or 127.0.0.1, and a field for an access token
 * instead of OAuth: our authorization server is not for browsers.
 */
async function description() {
  const answer = await fetch('/openapi.json');
  const { components, paths, ...document } = await answer.json();
  const { oauth2, ...securitySchemes } = components.securitySchemes;
  const accessToken = { type: 'http', scheme: 'bearer', description: oauth2.description };
  /** @type {{ parameters: Parameter[], security: object[] }[]} */
  const operations = Object.values(paths).flatMap((path) => Object.values(path));
  for (const operation of operations) {
    operation.security = [{ accessToken: [], apiKey: [] }];
    const isSearch = operation.parameters.some(({ name }) => name === 'page');
    if (isSearch) operation.parameters.forEach(switchOff);
  }
  Object.values(components.parameters).forEach(switchOff);
  return {
    ...document,
    servers: [{ url: `${window.location.origin}/v1` }],
    paths,
    components: { ...components, securitySchemes: { ...securitySchemes, accessToken } },
  };
}

/** @typedef {{ name?: string, example?: unknown, examples?: object, schema?: Schema }} Parameter */
/** @typedef {{ default?: unknown, enum?: unknown[] }} Schema */

/**
 * Scalar would send the example, or the first of the values: for each header, a sandbox fault too, and for each filter of a
 * search, and nothing matches them all. A default is harmless.
 * @param {Parameter} parameter
 */
function switchOff(parameter) {
  const { example, schema } = parameter;
  const value = example ?? schema?.enum?.[0];
  if (value === undefined || schema?.default !== undefined) return;
  delete parameter.example;
  parameter.examples = { default: { value, 'x-disabled': true } };
}

/** @returns {Promise<Create>} */
async function scalar() {
  const script = document.createElement('script');
  script.src = '/docs/scalar.js';
  await new Promise((resolve, reject) => {
    script.addEventListener('load', resolve);
    script.addEventListener('error', reject);
    document.head.append(script);
  });
  return Object(window).Scalar.createApiReference;
}

/**
 * A fresh token for the chosen advisor; nothing outside the sandbox, or if the visitor has a token of their own.
 * @returns {Promise<Credentials>}
 */
async function fetchCredentials() {
  const chosen = advisor instanceof HTMLSelectElement ? advisor.selectedOptions[0] : undefined;
  if (about) about.textContent = chosen?.dataset.about ?? '';
  if (!chosen?.value) return {};
  filledAtMs = Date.now();
  const answer = await fetch('/sandbox/credentials', {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'x-form-token': formToken },
    body: JSON.stringify({ advisorId: Number(chosen.value) }),
  }).catch(() => null);
  if (answer?.ok) return answer.json();
  if (about) about.textContent = 'The sandbox’s credentials can’t be read. Reload the page to try again.';
  return {};
}

async function fill() {
  reference.updateConfiguration(configuration(await fetchCredentials()));
}

/** Every tag begins open, so that all endpoints are in sight. The models, which are many more, don't. */
function foldModels() {
  const observer = new MutationObserver(() => {
    const button = container.querySelector('[data-sidebar-id$="/models"] > div > button[aria-expanded=true]');
    if (!(button instanceof HTMLButtonElement)) return;
    observer.disconnect();
    button.click();
  });
  observer.observe(container, { childList: true, subtree: true });
}

/** A token lasts 15 minutes. */
function renew() {
  const isOurs = advisor instanceof HTMLSelectElement && advisor.value !== '';
  if (isOurs && !document.hidden && Date.now() - filledAtMs > freshMs) fill();
}
