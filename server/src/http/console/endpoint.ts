import type { TSchema } from 'typebox';
import type { Deps } from '../../deps.ts';
import type { By } from '../../domain/archive/archive.ts';
import type { StaffSession } from '../../domain/sign-in/sessions.ts';
import type { Input, ParsedInput } from '../door/route.ts';

/** The staff of one firm. */
export type FirmStaff = StaffSession & { firmId: number; firmName: string };

/**
 * What an endpoint of the console takes and does. It answers what its handler returns, as JSON; nothing is a 204, and a function sends the
 * answer itself.
 */
export type ConsoleEndpoint<Result = unknown> = {
  /** Whose it is: a firm's staff get the records of their firm, and operators those of the deployment, which are never texts. */
  of: 'firm' | 'operator';
  params?: TSchema;
  query?: TSchema;
  body?: TSchema;
  /**
   * For what gives somebody access that lasts, such as a secret, takes records out, or makes a rule weaker: only who signed in just now
   * may do it, so a stolen session can't.
   */
  isFresh?: true | ((deps: Deps, staff: StaffSession, input: Input) => boolean | Promise<boolean>);
  /** How many connections one of its queries counts for; 1 if it is a short one. */
  cost?: number;
  /** Whether it is about more than a hundred people or rows, or much text: http/door/long-work.ts. */
  isLong?: true;
  handler(deps: Deps, staff: StaffSession, input: Input, by: By): Promise<Result>;
};

type Details<Who, P, Q, B, Result> = {
  params?: P;
  query?: Q;
  body?: B;
  isFresh?: true | ((deps: Deps, staff: Who, input: ParsedInput<P, Q, B>) => boolean | Promise<boolean>);
  cost?: number;
  isLong?: true;
  handler(deps: Deps, staff: Who, input: ParsedInput<P, Q, B>, by: By): Promise<Result>;
};
type Optional = TSchema | undefined;

export function firmEndpoint<P extends Optional, Q extends Optional, B extends Optional, Result>(
  details: Details<FirmStaff, P, Q, B, Result>,
): ConsoleEndpoint<Result> {
  return { of: 'firm', ...details } as ConsoleEndpoint<Result>;
}

export function operatorEndpoint<P extends Optional, Q extends Optional, B extends Optional, Result>(
  details: Details<StaffSession, P, Q, B, Result>,
): ConsoleEndpoint<Result> {
  return { of: 'operator', ...details } as ConsoleEndpoint<Result>;
}
