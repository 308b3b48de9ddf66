/** Why a request to an address that somebody else wrote down has no answer, in one line that an operator may read. */
export class OutboundFault extends Error {}

/** It may not be made at all. */
export class OutboundRefused extends OutboundFault {}

/** It was made and came to nothing. */
export class OutboundFailed extends OutboundFault {}

const shownMax = 200;

/** An address without what may be secret in it: user, password and query. */
export function shown({ protocol, host, pathname }: URL): string {
  const text = `${protocol}//${host}${pathname}`;
  return text.length > shownMax ? `${text.slice(0, shownMax)}…` : text;
}
