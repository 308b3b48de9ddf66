import type { Deps } from '../../src/deps.ts';
import { growTree } from '../../src/domain/archive/archive-tree.ts';
import { dayMs } from '../../src/domain/shared/time.ts';
import { moved, type TestDatabase } from '../support/database.ts';
import { signer } from './small-archive.ts';

const hourMs = 60 * 60 * 1000;
const agedTables = ['archive_entries', 'archive_checkpoints', 'retentions', 'hold_lifts'];

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

/**
 * Moves back what the database and the signed checkpoints say about real time, which takes the owner and the key. What entries say
 * stays: one that counts from a later time, by its own words, still does.
 */
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
  for (const table of agedTables) await asOwner(`alter table ${table} disable trigger user`);
  for (const table of ['retentions', 'hold_lifts'])
    await asOwner(`update ${table} set counts_from = ${moved('counts_from', "$1 * interval '1 millisecond'")}`, [-ms]);
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
  for (const table of agedTables) await asOwner(`alter table ${table} enable trigger user`);
}

/** A retention whose week was over an hour ago, or one from before there was a week; in the table, and in an entry that is to be signed. */
export async function setEarlier({ asOwner }: OwnedDatabase, firmId: number, years: number, isOfBefore = false) {
  const countsFrom = isOfBefore ? null : new Date(Date.now() - hourMs).toISOString();
  await asOwner(
    'insert into retentions (firm_id, years, counts_from, date_time_created) values ($1, $2, $3, domain_now())',
    [firmId, years, countsFrom],
  );
  await asOwner(
    `select write_rule_entry(0, 'retention', null, 'operator', json_strip_nulls(
       json_build_object('firmId', $1::bigint, 'years', $2::integer, 'countsFrom', $3::text)), '{}')`,
    [firmId, years, countsFrom],
  );
}
