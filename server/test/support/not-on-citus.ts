/** Tests that `npm run citus` leaves out, and why. */

/** Folders of tests. */
export const foldersNotOnCitus: Record<string, string> = {
  browser: 'its servers and databases are its own',
  docs: 'it has no database',
  process: 'its servers and databases are its own',
  root: 'its servers and databases are its own',
};

type Reason = { why: string; tests: string[] };

const reasons: Reason[] = [
  {
    why: 'a receipt that overtakes the answer is applied by maintenance, within a second: nobody knows its advisor',
    tests: [
      'a receipt that comes before the answer is applied with it',
      'a receipt that comes with the answer is applied with it, and delivered wins over an earlier one',
    ],
  },
  {
    why: 'the coordinator has no socket that the tests know',
    tests: ['a socket in DATABASE_URL is read as the server reads it, however it is spelled'],
  },
];

export function skippedOnCitus(): RegExp[] {
  return reasons.flatMap(({ tests }) => tests.map((name) => new RegExp(`${RegExp.escape(name)}$`)));
}
