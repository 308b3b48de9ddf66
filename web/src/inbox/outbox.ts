import { useRef, useSyncExternalStore } from 'react';
import { now } from '../api/clock.ts';
import type { MessageRequest } from '../api/types.ts';

/** A text that was sent and not answered yet. Its key makes sure that trying again within a day can't text twice. */
export type Attempt = {
  key: string;
  phone: string;
  message: MessageRequest;
  at: number;
  state: 'sending' | 'unanswered' | 'refused';
  /** Why it was refused. */
  why?: string;
};

/** The server knows a key for a day. */
const keptMs = 23 * 60 * 60 * 1000;
const storageKey = 'outbox';
const listeners = new Set<() => void>();
// What another tab sends is its to tell of.
window.addEventListener('storage', ({ key }) => {
  if (key !== storageKey) return;
  attempts = read();
  for (const listener of listeners) listener();
});
let attempts: Attempt[] | undefined;

export function useAttempts(phone: string): Attempt[] {
  return useAllAttempts().filter((attempt) => attempt.phone === phone);
}

/** Those that wait for a person to try them again, or to give them up. */
export function useUnsent(): Attempt[] {
  return useAllAttempts().filter(({ state }) => state !== 'sending');
}

function useAllAttempts(): Attempt[] {
  return useSyncExternalStore((listener) => {
    listeners.add(listener);
    return () => listeners.delete(listener);
  }, kept);
}

export function keep(attempt: Attempt): void {
  change([...kept().filter(({ key }) => key !== attempt.key), attempt]);
}

export function drop(key: string): void {
  change(kept().filter((attempt) => attempt.key !== key));
}

/** Whether what got no answer can be sent again without texting twice. */
export function canRepeat({ at }: { at: number }): boolean {
  return now() - at < keptMs;
}

export function newKey(): string {
  return Array.from(crypto.getRandomValues(new Uint8Array(16)), (byte) => byte.toString(16).padStart(2, '0')).join('');
}

/** The same body has the same key until it is done, so what got no answer isn't done twice. One that was changed is another request. */
export function useKeyOf(): (body: object) => string {
  const last = useRef({ written: '', key: '' });
  return (body) => {
    const written = JSON.stringify(body);
    if (written !== last.current.written) last.current = { written, key: newKey() };
    return last.current.key;
  };
}

function change(next: Attempt[]): void {
  attempts = next;
  localStorage.setItem(storageKey, JSON.stringify(next));
  for (const listener of listeners) listener();
}

/** What a page before this one left behind has no answer; nothing is sent again by itself. */
function kept(): Attempt[] {
  attempts ??= read().map((attempt) => ({ ...attempt, state: 'unanswered' }));
  return attempts;
}

function read(): Attempt[] {
  try {
    return JSON.parse(localStorage.getItem(storageKey) ?? '[]');
  } catch {
    return [];
  }
}
