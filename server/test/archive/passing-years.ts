import type { Deps } from '../../src/deps.ts';
import { growTree } from '../../src/domain/archive/archive-tree.ts';
import { dayMs } from '../../src/domain/shared/time.ts';
import { moved, type TestDatabase } from '../support/database.ts';
import { signer } from './small-archive.ts';

type OwnedDatabase = Pick<TestDatabase, 'asOwner'>;

/** Lets real time pass: everything so far is in the tree, signed that long ago, and the tree is signed again now. */
export async function passRealTime(database: OwnedDatabase, deps: Deps, ms: number): Promise<void> {
  await growTree(deps);
  await makeOlder(database, ms);
  await growTree(deps);
}

/** A little more than that many years. */
export function yearsMs(years: number): number {
  return (365.25 * years + 1) * dayMs;
}

/** Moves back what the database and the signed checkpoints say about real time, which takes the owner and the key. */
export async function makeOlder({ asOwner }: OwnedDatabase, ms: number): Promise<void> {
  const older = (time: string) => new Date(Date.parse(time) - ms).toISOString();
  const checkpoints = await asOwner<{ id: string; note: string }>(
    'select checkpoint_id as id, note from archive_checkpoints',
  );
  const notes = checkpoints.map(({ note }) =>
    signer.sign(
      note.slice(0, note.lastIndexOf('\n\n') + 1).replace(/^time (.+)$/m, (_, time) => `time ${older(time)}`),
    ),
  );
  for (const table of ['archive_entries', 'archive_checkpoints'])
    await asOwner(`alter table ${table} disable trigger user`);
  await asOwner(`update archive_entries set recorded_at = ${moved('recorded_at', "$1 * interval '1 millisecond'")}`, [
    -ms,
  ]);
  await asOwner(
    `update archive_checkpoints c
     set note = aged.note, date_time_created = date_time_created - $3 * interval '1 millisecond'
     from unnest($1::bigint[], $2::text[]) as aged (id, note)
     where c.checkpoint_id = aged.id`,
    [checkpoints.map(({ id }) => id), notes, ms],
  );
  for (const table of ['archive_entries', 'archive_checkpoints'])
    await asOwner(`alter table ${table} enable trigger user`);
}
