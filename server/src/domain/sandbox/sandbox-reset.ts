import { type Deps, inTransaction } from '../../deps.ts';
import type { Pool, Transaction } from '../../store/database/db.ts';
import { updateResetting } from '../../store/sandbox/sandbox-clock.ts';
import { emptyDatabase, insertFeedNumbers, setNextAdvisorId } from '../../store/sandbox/sandbox-reset.ts';
import { addAdvisor } from '../accounts/advisors.ts';
import { rootOf } from '../archive/merkle.ts';
import { problem } from '../problems.ts';
import { hashPassword } from '../sign-in/passwords.ts';
import { makeSandbox, type SandboxFile } from './sandbox.ts';
import { readSandboxFile } from './sandbox-file.ts';

/** Does work on the database as its owner. */
type AsOwner = <Result>(work: (db: Pool) => Promise<Result>) => Promise<Result>;

type ResetOptions = {
  asOwner: AsOwner;
  /** Resolves once other processes have read the clock. */
  followed(): Promise<void>;
};

/** Other processes wait this long for a reset that was announced. */
const resetWithinMs = 10_000;

/**
 * Makes everything as it was after the first start, in one transaction: whoever looks sees all of it or nothing. The credentials in
 * sandbox.json stay, and tokens end with their grants. What this process and others have under way finishes before, and what comes meanwhile waits.
 */
export async function resetSandbox(deps: Deps, { asOwner, followed }: ResetOptions): Promise<void> {
  const sandbox = readSandboxFile(deps.config.dataDir);
  if (!sandbox)
    throw problem('conflict', 'There is no sandbox.json with the credentials to keep: start the sandbox again.');
  // Before everybody has to wait: they take longer than the rest.
  const hashes = await Promise.all(
    sandbox.advisors.map(({ password }) => hashed.getOrInsertComputed(password, hashPassword)),
  );
  await deps.signals.resetGuard.reset(async () => {
    await updateResetting(deps.db, resetWithinMs);
    await followed();
    await asOwner((db) =>
      inTransaction({ ...deps, db, clock: deps.databaseClock }, (deps) => makeAgain(deps, sandbox, hashes)),
    );
    await deps.sandboxClock?.refresh();
  });
}

async function makeAgain(deps: Deps & { db: Transaction }, sandbox: SandboxFile, hashes: string[]): Promise<void> {
  const numbers = await emptyDatabase(deps.db, { emptyRoot: rootOf([]) });
  await makeSandbox(deps, null, {
    sandbox,
    async addAdvisor(known, input) {
      await setNextAdvisorId(deps.db, known.id);
      const passwordHash = hashes[sandbox.advisors.indexOf(known)] as string;
      const advisor = await addAdvisor(deps, { ...input, passwordHash });
      const before = numbers.find(({ advisorId }) => advisorId === known.id);
      if (before) await insertFeedNumbers(deps.db, before);
      return advisor;
    },
  });
}

/** The passwords of sandbox.json stay the same from reset to reset. */
const hashed = new Map<string, Promise<string>>();
