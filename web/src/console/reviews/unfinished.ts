import { useState } from 'react';
import { useSession } from '../session.ts';

/**
 * What somebody is writing about a review, kept in this tab until it is saved or emptied: it survives Escape, a reload and the end of the
 * session. Nobody else who signs in here sees it.
 */
export function useUnfinished(
  reviewId: number,
  what: 'note' | 'escalation',
): [text: string, write: (text: string) => void] {
  const { staffId } = useSession().staff;
  const key = `${what}-${reviewId}-${staffId}`;
  const [, draw] = useState('');
  return [
    sessionStorage.getItem(key) ?? '',
    (text) => {
      if (text) sessionStorage.setItem(key, text);
      else sessionStorage.removeItem(key);
      draw(text);
    },
  ];
}
