/** What the domain needs of the world outside, where more than one thing can be at the far end. */

/** Domain time: contact, message and consent times, schedules, quiet hours. Tokens, leases and limits use real time. */
export type Clock = { now(): Date };
