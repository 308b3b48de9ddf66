import { useCallback, useEffect, useRef, useState } from 'react';
import type { draft } from '../../../server/src/http/advisor/api/conversations.ts';
import { put } from '../api/http.ts';
import { patchConversation } from '../api/live.ts';
import type { BodyOf } from '../api/types.ts';

const savedAfterMs = 700;
/** A conversation, or what the server keeps no draft of: the number of somebody who has none yet, a group, a form. */
type DraftOwner = number | string;
const keyOf = (owner: DraftOwner) => `draft-${owner}`;

/** What is typed about a contact. A new one has a number, if they are from a conversation. */
export const contactDraft = (contactId: number | null, phone: string | null) =>
  `contact-${contactId ?? phone ?? 'new'}`;

/** What a group is to be called. `group-` and its id are a text to it. */
export const groupDraft = (groupId: number | null) => `group-name-${groupId ?? 'new'}`;

/** The group whose name somebody began to type; that of a new one is null. */
export function draftedGroup(): { groupId: number | null } | null {
  const ids = Object.keys(localStorage).flatMap((key) => key.match(/^draft-group-name-(.+)/)?.[1] ?? []);
  const id = ids.find((each) => each === 'new') ?? ids[0];
  return id === undefined ? null : { groupId: Number(id) || null };
}

/** What the browser still has: of a conversation, until the server has it too. */
export function keptDraft(owner: DraftOwner): string | null {
  return localStorage.getItem(keyOf(owner));
}

/** Somebody new has a conversation now, or it is for somebody else: what is still written goes along, unless they have a draft of their own. */
export function handOverDraft(from: DraftOwner, to: DraftOwner): void {
  if (localStorage.getItem(keyOf(to))) return;
  const text = localStorage.getItem(keyOf(from));
  localStorage.removeItem(keyOf(from));
  if (text) localStorage.setItem(keyOf(to), text);
}

/**
 * What is typed, kept on the server and, until that has it, in the browser: it survives a reload, a lost connection, the end of the
 * session and the change to another conversation.
 */
export function useDraft(
  owner: DraftOwner,
  onServer: string | null = null,
): [text: string, write: (text: string) => void] {
  const memberId = typeof owner === 'number' ? owner : null;
  const storageKey = keyOf(owner);
  const [text, setText] = useState(() => localStorage.getItem(storageKey) ?? onServer ?? '');
  const unsaved = useRef<string | null>(localStorage.getItem(storageKey));
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined);

  const save = useCallback(async () => {
    clearTimeout(timer.current);
    const saving = unsaved.current;
    if (saving === null || memberId === null) return;
    unsaved.current = null;
    try {
      await put(`/conversations/${memberId}/draft`, {
        body: { text: saving } satisfies BodyOf<typeof draft>,
        keepalive: true,
      });
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
      if (next === '' && memberId === null) localStorage.removeItem(storageKey);
      else localStorage.setItem(storageKey, next);
      clearTimeout(timer.current);
      timer.current = setTimeout(save, next === '' ? 0 : savedAfterMs);
    },
    [save, memberId, storageKey],
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

  // Sent or emptied in another tab: it can't be sent again here, where the field may have the focus. What the server doesn't keep is the
  // same in every tab.
  useEffect(() => {
    const follow = ({ key, newValue }: StorageEvent) => {
      if (key !== storageKey) return;
      if (memberId === null) setText(newValue ?? '');
      else if (newValue === '' && unsaved.current === null) setText('');
    };
    window.addEventListener('storage', follow);
    return () => window.removeEventListener('storage', follow);
  }, [memberId, storageKey]);

  // What a page before this one left in the browser. Below the effect above, for which it is this one's own.
  useEffect(() => void save(), [save]);

  return [text, write];
}

/** What is changed in a form, kept until it is closed: it survives a reload and the end of the session. */
export function useFormDraft<Values extends object>(
  owner: string,
  given: Values,
  close: () => void,
): [values: Values, change: (change: Partial<Values>) => void, close: () => void] {
  const [draft, write] = useDraft(owner);
  const changed: Partial<Values> = JSON.parse(draft || '{}');
  return [
    { ...given, ...changed },
    (change) => write(JSON.stringify({ ...changed, ...change })),
    () => {
      write('');
      close();
    },
  ];
}
