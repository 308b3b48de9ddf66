import { type RefObject, useLayoutEffect, useState } from 'react';
import { useSession } from '../api/session.ts';

type SignedDraft = {
  /** What the field shows. */
  shown: string;
  edit(next: string): void;
  clear(): void;
  /** A text without the signature at its end. */
  unsigned: string;
  /** For a click into a text that nobody has touched: the cursor goes above the signature, unless somebody has selected something. */
  toStart(): void;
};

/**
 * An empty composer shows the advisor's signature below the place to write. Only with something written above it does it become a
 * text: until then there is no draft, and nothing to send. Once removed, it stays away until the next text. The cursor waits above it
 * from the beginning: moved when somebody comes to write, it would be behind what they type first.
 */
export function useSigned(
  text: string,
  write: (text: string) => void,
  field: RefObject<HTMLTextAreaElement | null>,
): SignedDraft {
  const signature = useSession().signature ?? '';
  const [blank, setBlank] = useState<string | null>(null);
  const edit = (next: string) => {
    const isBlank = next.trim() === '' || next.trim() === signature;
    if (isBlank) setBlank(next);
    if (!isBlank || text !== '') write(isBlank ? '' : next);
  };
  const clear = () => {
    setBlank(null);
    write('');
  };
  const fresh = signature && `\n${signature}`;
  const unsigned = signature && text.endsWith(signature) ? text.slice(0, -signature.length).trim() : text;
  const shown = text || (blank ?? fresh);
  const isFresh = text === '' && blank === null;
  // biome-ignore lint/correctness/useExhaustiveDependencies: a signature that has come or changed moves the cursor, too.
  useLayoutEffect(() => {
    if (isFresh) field.current?.setSelectionRange(0, 0);
  }, [isFresh, shown]);
  const toStart = () => {
    const { selectionStart, selectionEnd } = field.current ?? {};
    if (isFresh && selectionStart === selectionEnd) field.current?.setSelectionRange(0, 0);
  };
  return { shown, edit, clear, unsigned, toStart };
}
