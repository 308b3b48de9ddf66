import { useSuspenseQuery } from '@tanstack/react-query';
import { setNow } from '../api/clock.ts';
import { get, setFormToken } from '../api/http.ts';

export type Role = 'reviewer' | 'compliance_officer' | 'operator';
export type Session = {
  staff: { staffId: number; firmId: number | null; firmName: string | null; name: string; email: string; role: Role };
  environment: string;
  formToken: string;
  now: number;
};

export const sessionQuery = { queryKey: ['session'], queryFn: loadSession, staleTime: Number.POSITIVE_INFINITY };

/** Loaded before anything is shown, so it is always there. */
export function useSession(): Session {
  return useSuspenseQuery(sessionQuery).data;
}

async function loadSession(): Promise<Session> {
  const session = await get<Session>('/session');
  setNow(session.now);
  setFormToken(session.formToken);
  return session;
}

export const roleNames: Record<Role, string> = {
  reviewer: 'Reviewer',
  compliance_officer: 'Compliance officer',
  operator: 'Operator',
};
