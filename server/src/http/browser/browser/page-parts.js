// What scripts of several pages need.

/**
 * @template {Element} Kind
 * @param {string} selector
 * @param {new () => Kind} kind
 * @returns {Kind}
 */
export function find(selector, kind) {
  const found = document.querySelector(selector);
  if (found instanceof kind) return found;
  throw new Error(`The page has no ${selector}.`);
}

/**
 * Keeps a page that somebody looks at up to date.
 * @param {() => Promise<void>} refresh
 * @param {number} pollMs
 */
export async function follow(refresh, pollMs) {
  document.addEventListener('visibilitychange', () => {
    if (!document.hidden) refresh();
  });
  for (;;) {
    await new Promise((resolve) => setTimeout(resolve, pollMs));
    if (!document.hidden) await refresh();
  }
}
