import { lastOfEightYears, lastOfThreeYears } from './small-archive.ts';
import type { Tampering, Target } from './tampering.ts';

const young = 17;
const threeYears = lastOfEightYears + 1;
const deleteBodies = 'delete from archive_bodies where advisor_id = $1 and number between $2 and $3';

/** What somebody can do to be rid of bodies and have it look like a disposal. */
export const disposalTamperings: Tampering[] = [
  {
    name: 'young bodies deleted, with a disposal that names them',
    names: young,
    async tamper({ sql, ann, sign }) {
      await sql(deleteBodies, [ann, young, young + 1]);
      await sql(`select write_disposal_entry($1, array[$2, $3]::bigint[], 'service')`, [ann, young, young + 1]);
      await sign();
    },
  },
  {
    name: 'the same, before the disposal is signed',
    names: young,
    async tamper({ sql, ann }) {
      await sql(deleteBodies, [ann, young, young]);
      await sql(`select write_disposal_entry($1, array[$2]::bigint[], 'service')`, [ann, young]);
    },
  },
  {
    name: 'young bodies deleted, with a disposal that has its own retention and date',
    names: young,
    async tamper({ sql, ann, sign }) {
      await sql(deleteBodies, [ann, young, young]);
      await sql(`select write_rule_entry($1, 'disposal', null, 'service', '{"retentionYears": 0}', $2)`, [
        ann,
        `[[${young}, ${young}]]`,
      ]);
      await sql(
        `update archive_entries set date_time_created = now() + interval '9 years' where advisor_id = $1 and number = 31`,
        [ann],
      );
      await sign();
    },
  },
  {
    name: 'bodies disposed of by a retention without an entry',
    names: threeYears,
    async tamper(target) {
      const { sql, firmId, sign } = target;
      await sql('insert into retentions (firm_id, years, date_time_created) values ($1, 1, now())', [firmId]);
      await dispose(target);
      await sign();
    },
  },
  {
    name: 'bodies disposed of by a shorter retention, a week before it counts',
    names: threeYears,
    async tamper(target) {
      const { sql, firmId, sign } = target;
      await sql(`select set_retention($1, 1, 'operator', null)`, [firmId]);
      await sql('update retentions set counts_from = null');
      await dispose(target);
      await sign();
    },
  },
  {
    name: 'bodies disposed of under a hold, a week before its lift counts',
    names: 1,
    isHeld: true,
    async tamper(target) {
      await target.sql(`select lift_hold(hold_id, 'x', staff_id, null, null) from holds`);
      await target.sql(`update hold_lifts set counts_from = '-infinity'`);
      await dispose(target);
      await target.sign();
    },
  },
  {
    name: 'young bodies made to look old in the tables, and disposed of',
    names: young,
    async tamper(target) {
      const { sql, ann, sign } = target;
      await sql(`update archive_entries set recorded_at = now() - interval '8 years' where advisor_id = $1`, [ann]);
      await sql(
        `update archive_checkpoints set date_time_created = now() - interval '8 years'
         where checkpoint_id < (select max(checkpoint_id) from archive_checkpoints)`,
      );
      await dispose(target);
      await sign();
    },
  },
  {
    name: 'bodies disposed of by a retention of no years',
    names: young,
    async tamper({ sql, ann, firmId, sign }) {
      await sql(retentionEntry, [firmId, 0]);
      await sql(deleteBodies, [ann, young, young]);
      await sign();
      await sql(`select write_disposal_entry($1, array[$2]::bigint[], 'service')`, [ann, young]);
      await sign();
    },
  },
  {
    name: 'bodies disposed of, with a retention that is dated back afterwards',
    names: threeYears,
    async tamper({ sql, ann, firmId, sign }) {
      await sql(deleteBodies, [ann, threeYears, lastOfThreeYears]);
      await sql(`select write_disposal_entry($1, array(select generate_series($2::bigint, $3::bigint)), 'service')`, [
        ann,
        threeYears,
        lastOfThreeYears,
      ]);
      await sign();
      await sql(retentionEntry, [firmId, 1]);
      await sql(
        `update archive_entries set date_time_created = now() - interval '6 years' where advisor_id = 0 and kind = 'retention'`,
      );
      await sign();
    },
  },
  {
    name: 'a disposal by the retention of a firm that nobody can read',
    names: 'entry 1 of advisor cat',
    async tamper({ sql, cat }) {
      await sql(`select write_disposal_entry($1, array[1]::bigint[], 'service')`, [cat]);
      await sql(`update archive_entries set meta = 'forged' where advisor_id = $1 and number = 1`, [cat]);
    },
  },
  {
    name: 'bodies disposed of under a hold, whose row is deleted',
    names: 1,
    isHeld: true,
    async tamper(target) {
      await target.sql('delete from holds');
      await dispose(target);
      await target.sign();
    },
  },
  {
    name: 'the same, with the hold’s entry deleted too',
    names: 'entry 1 of advisor 0',
    isHeld: true,
    async tamper(target) {
      await target.sql('delete from holds');
      await target.sql('delete from archive_bodies where advisor_id = 0');
      await target.sql('delete from archive_entries where advisor_id = 0');
      await dispose(target);
    },
  },
  {
    name: 'bodies disposed of under a hold, which is lifted without an entry',
    names: 1,
    isHeld: true,
    async tamper(target) {
      await target.sql(`insert into hold_lifts select hold_id, 'x', staff_id, '-infinity', now() from holds`);
      await dispose(target);
      await target.sign();
    },
  },
  {
    name: 'the body of a hold, with a disposal that names it',
    names: 'entry 1 of advisor 0',
    isHeld: true,
    async tamper({ sql, sign }) {
      await sql('delete from archive_bodies where advisor_id = 0');
      await sql(`select write_rule_entry(0, 'disposal', null, 'service', '{"retentionYears": 7}', '[[1, 1]]')`);
      await sign();
    },
  },
];

const retentionEntry = `select write_rule_entry(
  0, 'retention', null, 'operator', json_build_object('firmId', $1::bigint, 'years', $2::integer), '{}'
)`;

/** Through the database's own function, with the clock moved. */
async function dispose({ sql, ann }: Target): Promise<void> {
  await sql('update sandbox_clock set offset_ms = 9 * 366 * 86400000::bigint');
  await sql(`select from dispose_bodies($1, 0, 100, 'service')`, [ann]);
}
