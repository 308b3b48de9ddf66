import { useState } from 'react';
import { useSession } from '../api/session.ts';

type SignedDraft = {
  /** What the field shows. */
  shown: string;
  /** Whether nobody has touched it. */
  isFresh: boolean;
  edit(next: string): void;
  clear(): void;
  /** A text without the signature at its end. */
  unsigned: string;
};

/**
 * An empty composer shows the advisor's signature below the place to write. Only with something written above it does it become a
 * text: until then there is no draft, and nothing to send. Once removed, it stays away until the next text.
 */
export function useSigned(text: string, write: (text: string) => void): SignedDraft {
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
  return { shown: text || (blank ?? fresh), isFresh: text === '' && blank === null, edit, clear, unsigned };
}
