import type { Db } from '../database/db.ts';
import type { SignInMethod } from './sessions.ts';

/** Failed attempts at one account that aren't archived yet; address and trace are the last attempt's. */
export type FailureRow = {
  advisorId: number | null;
  staffId: number | null;
  method: SignInMethod;
  address: string;
  traceId: string | null;
  failures: number;
  firstFailed: Date;
  lastFailed: Date;
};
type NewFailure = Pick<FailureRow, 'advisorId' | 'staffId' | 'method' | 'address' | 'traceId'> & {
  accountHash: Buffer;
};

export async function upsertFailure(db: Db, failure: NewFailure, now: Date): Promise<void> {
  await db.query(
    `insert into sign_in_failures as f (
       account_hash, advisor_id, staff_id, method, address, trace_id, failures, first_failed, last_failed
     )
     values ($1, $2, $7, $3, $4, $5, 1, $6, $6)
     on conflict (account_hash) do update
     set advisor_id = excluded.advisor_id, staff_id = excluded.staff_id, address = excluded.address,
         trace_id = excluded.trace_id,
         failures = f.failures + 1, last_failed = excluded.last_failed`,
    [failure.accountHash, failure.advisorId, failure.method, failure.address, failure.traceId, now, failure.staffId],
  );
}

/** Removes and returns some that began before then, so that the caller can archive them. */
export async function deleteFailures(db: Db, before: Date, limit: number): Promise<FailureRow[]> {
  return db.query<FailureRow>(
    `delete from sign_in_failures
     where account_hash in (
       select account_hash
       from sign_in_failures
       where first_failed <= $1
       limit $2
       for update skip locked
     )
     returning advisor_id as "advisorId", staff_id as "staffId", method, address, trace_id as "traceId", failures,
       first_failed as "firstFailed", last_failed as "lastFailed"`,
    [before, limit],
  );
}
