import { useCallback, useEffect, useRef, useState } from 'react';
import { put } from '../api/http.ts';
import { patchConversation } from '../api/live.ts';

const savedAfterMs = 700;
/** A conversation, or the number of somebody who has none yet. */
type DraftOwner = number | string;
const keyOf = (owner: DraftOwner) => `draft-${owner}`;

/** Somebody new has a conversation now, or it is for somebody else: what is still written goes along, unless they have a draft of their own. */
export function handOverDraft(from: DraftOwner, to: DraftOwner): void {
  if (localStorage.getItem(keyOf(to))) return;
  const text = localStorage.getItem(keyOf(from));
  localStorage.removeItem(keyOf(from));
  if (text) localStorage.setItem(keyOf(to), text);
}

/**
 * What is typed, kept on the server and, until that has it, in the browser: it survives a reload, a lost connection and the
 * change to another conversation. Somebody new has no draft on the server yet.
 */
export function useDraft(
  memberId: number | null,
  phone: string,
  onServer: string | null,
): [text: string, write: (text: string) => void] {
  const storageKey = keyOf(memberId ?? phone);
  const [text, setText] = useState(() => localStorage.getItem(storageKey) ?? onServer ?? '');
  const unsaved = useRef<string | null>(localStorage.getItem(storageKey));
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined);

  const save = useCallback(async () => {
    clearTimeout(timer.current);
    const saving = unsaved.current;
    if (saving === null || memberId === null) return;
    unsaved.current = null;
    try {
      await put(`/conversations/${memberId}/draft`, { body: { text: saving }, keepalive: true });
      if (unsaved.current === null) localStorage.removeItem(storageKey);
      patchConversation(memberId, { draft: saving || null });
    } catch {
      // The browser still has it; the next keystroke tries again.
      unsaved.current ??= saving;
    }
  }, [memberId, storageKey]);

  const write = useCallback(
    (next: string) => {
      setText(next);
      unsaved.current = next;
      localStorage.setItem(storageKey, next);
      clearTimeout(timer.current);
      timer.current = setTimeout(save, next === '' ? 0 : savedAfterMs);
    },
    [save, storageKey],
  );

  useEffect(() => {
    const leave = () => void save();
    window.addEventListener('pagehide', leave);
    return () => {
      window.removeEventListener('pagehide', leave);
      leave();
    };
  }, [save]);

  // Written in another tab, while this one has nothing of its own. Not under somebody's hands: an answer may be late.
  useEffect(() => {
    if (unsaved.current === null && document.activeElement?.tagName !== 'TEXTAREA') setText(onServer ?? '');
  }, [onServer]);

  // Sent or emptied in another tab: it can't be sent again here, where the field may have the focus.
  useEffect(() => {
    const follow = ({ key, newValue }: StorageEvent) => {
      if (key === storageKey && newValue === '' && unsaved.current === null) setText('');
    };
    window.addEventListener('storage', follow);
    return () => window.removeEventListener('storage', follow);
  }, [storageKey]);

  // What a page before this one left in the browser. Below the effect above, for which it is this one's own.
  useEffect(() => void save(), [save]);

  return [text, write];
}
