/** Tests that `npm run citus` leaves out, and why. */

/** Folders of tests. */
export const foldersNotOnCitus: Record<string, string> = {
  browser: 'its servers and databases are its own',
  docs: 'it has no database',
  process: 'its servers and databases are its own',
  root: 'its servers and databases are its own',
};

/** Files of tests, by folder and name. */
export const filesNotOnCitus: Record<string, string> = {
  'consent/stop-races': 'a trigger keeps the attempts beside the claims, and those are on the workers',
  'texting/histories.model': 'a trigger keeps the attempts beside the claims, and those are on the workers',
  'delivery/plans': 'it reads plans, and the workers make them',
  'archive/tampering': 'it alters tables in ways that Citus refuses; database/citus breaks the guards of every node',
  'database/db': 'it breaks and delays the one connection to the one PostgreSQL that has the rows',
  'database/lookups': 'keys of several advisors would span nodes, so they are not sent together',
};

type Reason = { why: string; tests: string[] };

const reasons: Reason[] = [
  {
    why: 'a receipt that overtakes the answer is applied by maintenance, within a second: nobody knows its advisor',
    tests: [
      'a receipt that comes before the answer is applied with it',
      'a receipt that comes with the answer is applied with it, and delivered wins over an earlier one',
      'a receipt that comes before the response is recorded with it, or a little later',
      'a lease that expires is in doubt, and a late receipt settles it',
    ],
  },
  {
    why: 'they read plans, and the workers make them',
    tests: [
      ' finds its page in messages_list, in order',
      ' finds its page in messages_member, in order',
      ' finds its page in messages_troubled, in order',
      ' finds its page in messages_schedule, in order',
    ],
  },
  {
    why: 'whether a lost commit was made isn’t known at once, so the response doesn’t say that nothing was done',
    tests: [
      'a lost commit has done nothing: code and refresh are 503, and then work',
      'is undone if its connection dies before the commit',
      'a commit that never arrived is a 502, and nothing was accepted',
    ],
  },
  {
    why: 'the guard is the same, but Citus says only that a worker could not commit',
    tests: ['nobody changes consent in the table without an entry, not even the owner'],
  },
  {
    why: 'Citus doesn’t say which constraint an error of a worker is about',
    tests: ['an internal error is logged with where it was thrown and why, in codes'],
  },
  {
    why: 'Citus crashes when what a role owns is dropped, which these do when they end',
    tests: ['passes a migrated database with a restricted login', ', and says what to do'],
  },
  {
    why: 'the coordinator has no socket that the tests know',
    tests: ['a socket in DATABASE_URL is read as the server reads it, however it is spelled'],
  },
];

export function skippedOnCitus(): RegExp[] {
  return reasons.flatMap(({ tests }) => tests.map((name) => new RegExp(`${RegExp.escape(name)}$`)));
}
