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

const shownMs = 2000;

/**
 * Copies what `write` returns, and says for a moment what became of it. The clipboard gets the promise: a browser allows no copy some
 * time after the click.
 * @param {Element} button
 * @param {() => Promise<string>} write
 * @param {(copied: boolean | null) => void} say Null is the end of the moment.
 */
export function copyOnPress(button, write, say = labelOf(button)) {
  button.addEventListener('click', async (event) => {
    event.preventDefault();
    const text = write().then((text) => new Blob([text], { type: 'text/plain' }));
    const copying = navigator.clipboard.write([new ClipboardItem({ 'text/plain': text })]);
    say(
      await copying.then(
        () => true,
        () => false,
      ),
    );
    setTimeout(say, shownMs, null);
  });
}

/** @param {Element} button */
function labelOf(button) {
  const label = button.textContent;
  /** @param {boolean | null} copied */
  return (copied) => {
    button.textContent = copied === null ? label : copied ? 'Copied' : 'Not copied';
  };
}
