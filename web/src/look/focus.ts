/** For when what had the focus is gone: to `back` if that is still there, otherwise to the place that is open, not to the top of the page. */
export function rescueFocus(back?: Element | null): void {
  requestAnimationFrame(() => {
    if (document.activeElement !== document.body) return;
    const next = back?.isConnected ? back : document.querySelector('main');
    if (next instanceof HTMLElement) next.focus({ preventScroll: true });
  });
}
