import { useSuspenseQuery } from '@tanstack/react-query';
import { setNow } from './clock.ts';
import { get, ownBrowser, setFormToken } from './http.ts';
import type { Session } from './types.ts';

export const sessionQuery = { queryKey: ['session'], queryFn: loadSession, staleTime: Number.POSITIVE_INFINITY };

/** Loaded before anything is shown, so it is always there. */
export function useSession(): Session {
  return useSuspenseQuery(sessionQuery).data;
}

export function useAdvisor(): Session['advisor'] {
  return useSession().advisor;
}

async function loadSession(): Promise<Session> {
  const session = await get<Session>('/session');
  setNow(session.now);
  setFormToken(session.formToken);
  ownBrowser(String(session.advisor.advisorId));
  return session;
}
