import { useSyncExternalStore } from 'react';
import { rescueFocus } from '../look/focus.ts';

type Toast = { id: number; text: string; action?: { label: string; run(): void } };
const shownMs = 6_000;
const toastsMax = 3;
let toasts: Toast[] = [];
let lastId = 0;
const listeners = new Set<() => void>();

/** A sentence about what was just done, for a moment. Returns a way to take it back. */
export function toast(text: string, action?: Toast['action'], ms = shownMs): () => void {
  const id = ++lastId;
  const close = () => change(toasts.filter((each) => each.id !== id));
  const run = () => {
    close();
    action?.run();
    rescueFocus();
  };
  // Where there is no room for one more, the first goes that nothing can be done about.
  const spare = toasts.length < toastsMax ? null : (toasts.find((each) => !each.action) ?? toasts[0]);
  const kept = toasts.filter((each) => each !== spare);
  change([...kept, { id, text, ...(action && { action: { ...action, run } }) }]);
  setTimeout(close, ms);
  return close;
}

export function Toasts() {
  const shown = useSyncExternalStore(
    (listener) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    () => toasts,
  );
  return (
    <div className="toasts" role="status" aria-live="polite">
      {shown.map(({ id, text, action }) => (
        <div className="toast" key={id}>
          <span className="grow">{text}</span>
          {action && (
            <button type="button" className="link" onClick={action.run}>
              {action.label}
            </button>
          )}
        </div>
      ))}
    </div>
  );
}

function change(next: Toast[]): void {
  toasts = next;
  for (const listener of listeners) listener();
}
