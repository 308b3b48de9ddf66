import { useEffect, useRef, useState, useSyncExternalStore } from 'react';

type Handlers = Record<string, (event: KeyboardEvent) => void>;
const setting = 'single-keys';
const listeners = new Set<() => void>();

/** Single letters, while nobody types and no dialog is open. `mod+enter` is for every system. */
export function useKeys(handlers: Handlers): void {
  const latest = useRef(handlers);
  latest.current = handlers;
  useEffect(() => {
    const onKey = (event: KeyboardEvent) => {
      if (event.defaultPrevented || event.metaKey || event.ctrlKey || event.altKey) return;
      if (isTyping(event.target) || document.querySelector('[role=dialog], [role=menu]')) return;
      if (!singleKeys() && event.key !== '?') return;
      const handler = latest.current[event.key];
      if (!handler) return;
      event.preventDefault();
      handler(event);
    };
    document.addEventListener('keydown', onKey);
    return () => document.removeEventListener('keydown', onKey);
  }, []);
}

/** Each by its own key. One that is held down chooses once, and not for all that follows. */
export function useChoiceKeys<Choice extends { key: string }>(
  choices: Choice[],
  choose: (choice: Choice) => unknown,
): void {
  useKeys(
    Object.fromEntries(
      choices.map((choice) => [choice.key, ({ repeat }: KeyboardEvent) => void (repeat || choose(choice))]),
    ),
  );
}

/** For Enter in a search: takes the first once there is what was typed for, and never somebody who was found for something else. */
export function useEnter(typed: string, isAnswered: boolean, take: () => void): () => void {
  const [entered, enter] = useState<string | null>(null);
  useEffect(() => {
    if (entered === null || !isAnswered) return;
    enter(null);
    if (entered === typed) take();
  });
  return () => enter(typed);
}

export function useSingleKeys(): [boolean, (on: boolean) => void] {
  const on = useSyncExternalStore((listener) => {
    listeners.add(listener);
    return () => listeners.delete(listener);
  }, singleKeys);
  return [
    on,
    (next) => {
      localStorage.setItem(setting, next ? 'on' : 'off');
      for (const listener of listeners) listener();
    },
  ];
}

function singleKeys(): boolean {
  return localStorage.getItem(setting) !== 'off';
}

function isTyping(target: EventTarget | null): boolean {
  return (
    target instanceof HTMLElement &&
    (target.isContentEditable || target.matches('input:not([type=checkbox]), textarea, select'))
  );
}

export const modKey = /Mac|iPhone|iPad/.test(navigator.userAgent) ? '⌘' : 'Ctrl';
