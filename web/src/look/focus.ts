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

/** For when what had the focus is gone: to `back` if that can have it, otherwise to the dialog or place that is open, not to the page’s top. */
export function rescueFocus(back?: Element | null): void {
  requestAnimationFrame(() => {
    const place = [...document.querySelectorAll<HTMLElement>('main, [role=dialog]')].at(-1);
    const { activeElement, body } = document;
    // On a busy machine, the rescue of what was lost before may come between a dialog and what opened it: who names the way back wins.
    if (activeElement !== body && !(back && activeElement === place)) return;
    if (back instanceof HTMLElement) back.focus({ preventScroll: true });
    if (document.activeElement === body) place?.focus({ preventScroll: true });
  });
}
