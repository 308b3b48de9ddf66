import type { Db, Due, DueRows, Nodes } from './db.ts';

/**
 * Statements about several advisors. One PostgreSQL takes them as they are written. Where advisors are on several nodes
 * (docs/decisions/0025-advisors-on-several-nodes.md), the same statement runs for those of each part, with the rows that are
 * theirs; `db` is that part then, so the work must use the one that it is given.
 */

/**
 * Runs the work for the advisors of these rows. It returns what it found, or nothing; if it found one for each row, they are in the
 * order of the rows.
 */
export function forAdvisors<Row extends { advisorId: number }, Result>(
  db: Db,
  rows: Row[],
  work: (db: Db, rows: Row[]) => Promise<Result>,
): Promise<Result> {
  return placed(
    db,
    () => work(db, rows),
    (nodes) => nodes.forAdvisors(db, rows, work),
  );
}

/** Runs the work for all advisors, and returns what it finds in any order. */
export function forAllAdvisors<Result>(db: Db, work: (db: Db) => Promise<Result[]>): Promise<Result[]> {
  return placed(
    db,
    () => work(db),
    (nodes) => nodes.forAll(db, work),
  );
}

/**
 * Takes rows that are due, whoever's they are. Where advisors are on several nodes, `due` finds the parts that have some, and each
 * turn takes those of one part, so that a transaction stays on one node.
 */
export function takeDue<Result>(db: Db, due: Due, work: (db: Db) => Promise<Result[]>): Promise<DueRows<Result>> {
  return placed<DueRows<Result>>(
    db,
    async () => ({ rows: await work(db), hasOthers: false }),
    (nodes) => nodes.takeDue(db, due, work),
  );
}

/** Whether anybody has a row that is due. A look, outside of a transaction, costs less than one that finds nothing to do. */
export async function isDue(db: Db, due: Due): Promise<boolean> {
  return (await forAllAdvisors(db, (db) => db.lookUp(...due))).length > 0;
}

/** Ids for new rows where the statement that inserts them can't draw them; otherwise nulls, and it does. */
export function drawIds(db: Db, sequence: string, count: number): Promise<(number | null)[]> {
  return placed<(number | null)[]>(
    db,
    async () => Array.from({ length: count }, () => null),
    (nodes) => nodes.drawIds(db, sequence, count),
  );
}

/** For a transaction that changes rows of advisors and of the deployment: a crash during the commit keeps all of it or nothing. */
export function commitTogether(db: Db): Promise<void> {
  return placed(
    db,
    async () => {},
    (nodes) => nodes.commitTogether(db),
  );
}

/** Without waiting where it is known: on one PostgreSQL the statement goes along with what was sent before it. */
function placed<Result>(
  db: Db,
  onOne: () => Promise<Result>,
  onSeveral: (nodes: Nodes) => Promise<Result>,
): Promise<Result> {
  const found = db.nodes();
  const choose = (nodes: Nodes | null) => (nodes ? onSeveral(nodes) : onOne());
  return found instanceof Promise ? found.then(choose) : choose(found);
}
