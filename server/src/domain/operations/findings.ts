export type Finding = {
  check: string;
  state: 'ok' | 'warning' | 'failing';
  says: string;
  /** What to do about it; null if all is well. */
  next: string | null;
};

export function ok(check: string, says: string): Finding {
  return { check, state: 'ok', says, next: null };
}

/** It works, but not as it should in production, or not for long. */
export function warning(check: string, says: string, next: string): Finding {
  return { check, state: 'warning', says, next };
}

/** Something doesn’t work. */
export function failing(check: string, says: string, next: string): Finding {
  return { check, state: 'failing', says, next };
}
