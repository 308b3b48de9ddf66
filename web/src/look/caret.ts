import { flushSync } from 'react-dom';

/** Puts a piece where the cursor is, and the cursor behind it, at once: a key that follows must not find it elsewhere. */
export function insertAtCaret(
  field: HTMLTextAreaElement | null,
  text: string,
  piece: string,
  set: (text: string) => void,
): void {
  const { selectionStart: from, selectionEnd: until } = field ?? {
    selectionStart: text.length,
    selectionEnd: text.length,
  };
  flushSync(() => set(text.slice(0, from) + piece + text.slice(until)));
  field?.setSelectionRange(from + piece.length, from + piece.length);
}

/** Puts another text in its place, with the cursor as far from its end as before, where typing goes on. */
export function replaceText(field: HTMLTextAreaElement | null, next: string, set: (text: string) => void): void {
  const behind = field ? field.value.length - field.selectionEnd : 0;
  flushSync(() => set(next));
  const at = Math.max(0, next.length - behind);
  field?.focus();
  field?.setSelectionRange(at, at);
}
