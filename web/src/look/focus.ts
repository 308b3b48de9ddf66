const lostMs = 150;

/** Whatever goes with the focus on it, such as the row of a text that was canceled: nobody who uses the keyboard begins at the top again. */
export function guardFocus(): void {
  let last: EventTarget | null = null;
  document.addEventListener('focusin', ({ target }) => (last = target));
  new MutationObserver(() => {
    if (!(last instanceof Element) || last.isConnected) return;
    last = null;
    // What closes a dialog knows better where the focus belongs.
    setTimeout(rescueFocus, lostMs);
  }).observe(document.body, { childList: true, subtree: true });
}

/** For when what had the focus is gone: to `back` if that is still there, otherwise to the place that is open, not to the top of the page. */
export function rescueFocus(back?: Element | null): void {
  requestAnimationFrame(() => {
    if (document.activeElement !== document.body) return;
    const isThere = back?.isConnected && back !== document.body;
    const next = isThere ? back : document.querySelector('main');
    if (next instanceof HTMLElement) next.focus({ preventScroll: true });
  });
}
