/**
 * A distributed database sends a statement to the node that has its rows only if every table in it is compared with the same
 * advisor. Statements of the store name the advisor once, and compare the other tables with that row.
 */

/** The parameter with the advisor; not where a null stands for all of them. */
const advisor = /(?<!\bor (?:\w+\.)?)\badvisor_id = (\$\d+)\b/;
const sameAdvisor = /\badvisor_id = (?:\w+\.advisor_id\b|\(select advisor_id from asked\))/g;

const rewritten = new Map<string, string>();

/** The statement with the advisor's parameter in place of other rows' advisors. */
export function routed(text: string): string {
  let found = rewritten.get(text);
  if (found === undefined) {
    const parameter = text.match(advisor)?.[1] ?? (text.includes('$1::bigint as advisor_id') ? '$1' : null);
    found = parameter ? comparedWith(text, parameter) : text;
    rewritten.set(text, found);
  }
  return found;
}

export function comparedWith(text: string, parameter: string): string {
  return text.replace(sameAdvisor, `advisor_id = ${parameter}`);
}
