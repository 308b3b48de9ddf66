import type { Deps } from '../../deps.ts';
import { problem } from '../../domain/problems.ts';

/** Where another identity provider signs advisors in, theirs is the place for passwords and connections. */
export function requireOwnServer({ config: { oauthIssuer } }: Pick<Deps, 'config'>): void {
  if (oauthIssuer)
    throw problem('conflict', `Sign-ins and connections are managed at ${oauthIssuer}, the identity provider.`);
}
