import type { CheckFinding } from '../ports.ts';

export type { CheckFinding } from '../ports.ts';

export function ok(check: string, says: string): CheckFinding {
  return { check, state: 'ok', says, next: null };
}

/** It works, but not as it should in production, or not for long. */
export function warning(check: string, says: string, next: string): CheckFinding {
  return { check, state: 'warning', says, next };
}

/** Something doesn’t work. */
export function failing(check: string, says: string, next: string): CheckFinding {
  return { check, state: 'failing', says, next };
}
