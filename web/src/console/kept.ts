import { useCallback, useState } from 'react';
import { useSession } from './session.ts';

/**
 * What somebody is writing, kept in this tab until it is saved or discarded: it survives Escape, another page, a reload and the end of the
 * session. Nobody else who signs in here sees it.
 */
export function useKept<Value>(name: string): [kept: Value | null, keep: (value: Value | null) => void] {
  const key = `${name} ${useSession().staff.staffId}`;
  const [, draw] = useState({});
  const keep = useCallback(
    (value: Value | null) => {
      if (value === null) sessionStorage.removeItem(key);
      else sessionStorage.setItem(key, JSON.stringify(value));
      draw({});
    },
    [key],
  );
  return [JSON.parse(sessionStorage.getItem(key) ?? 'null'), keep];
}
