/**
 * SQL for a condition that every given row meets, on its id or position. The planner thinks that hardly any row does, so it
 * looks up the rows of the tables that are joined one by one. Otherwise a plan that was made while a table was nearly empty
 * could read all of it, and a prepared statement keeps its plan until the table is analyzed.
 */
export function few(number: string): string {
  return `${number} between 0 and 9223372036854775807`;
}
