/**
 * One @ with something on both sides, a dot in the domain, no white space. What stands before the first dot has none: were it any
 * character, a long domain that is none would take time with the square of its length.
 */
export const emailPattern = '^[^\\s@]+@[^\\s@.]*\\.[^\\s@]*$';

export const emailAddress = new RegExp(emailPattern);
