/** Why a request to somebody else's address failed, in one line for an operator. */
export class OutboundFault extends Error {}

/** The request isn't allowed. */
export class OutboundRefused extends OutboundFault {}

/** No connection was there in time to begin the request, so nothing of it was sent. */
export class OutboundLate extends OutboundFault {}

/** The request was made and failed. */
export class OutboundFailed extends OutboundFault {}

/** Its response is larger than it may be. */
export class OutboundTooLarge extends OutboundFailed {}

const shownMax = 200;

/** An address without the parts that may be secret: user, password and query. */
export function shown({ protocol, host, pathname }: URL): string {
  const text = `${protocol}//${host}${pathname}`;
  return text.length > shownMax ? `${text.slice(0, shownMax)}…` : text;
}
