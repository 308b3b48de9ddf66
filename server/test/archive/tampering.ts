import { append, type Edge, rootOf } from '../../src/domain/archive/merkle.ts';
import { entryBytes } from '../../src/domain/examiner/entries.mjs';
import { leafHash } from '../../src/domain/examiner/tree.mjs';
import * as store from '../../src/store/archive/archive-tree.ts';
import { moved } from '../support/database.ts';
import { disposalTamperings } from './disposal-tampering.ts';
import { signer } from './small-archive.ts';
import { tableTamperings } from './table-tampering.ts';

/** Who tampers: the application's role, the owner of the tables, or the database's superuser. */
export type Who = 'application' | 'owner' | 'superuser';

// biome-ignore lint/suspicious/noExplicitAny: rows of any query.
export type Sql = (text: string, values?: unknown[]) => Promise<any[]>;
/** Signing is the server's own: it adds to the tree whatever is in the tables. */
export type Target = { sql: Sql; ann: number; bob: number; cat: number; firmId: number; sign(): Promise<void> };

/** A change to the archive, and the entry that must be named for it. */
export type Tampering = {
  name: string;
  /** The number of ann's entry, or the beginning of the fault's name; `cat` stands for the third advisor's id. */
  names: number | string;
  /** The firm's records are under a hold. */
  isHeld?: true;
  /** What honestly happens before. */
  before?(target: Target): Promise<void>;
  tamper(target: Target): Promise<void>;
};

const at = 17;
const tail = 25;
const entryColumns = 'kind, member_id, message_id, actor, trace_id, meta, commitment, date_time_created, recorded_at';
const flip = (column: string) => `${column} = set_byte(${column}, 0, get_byte(${column}, 0) # 1)`;
const swap = (table: string, one: number, other: number) => [
  `update ${table} set number = -1 where advisor_id = $1 and number = ${one}`,
  `update ${table} set number = ${one} where advisor_id = $1 and number = ${other}`,
  `update ${table} set number = ${other} where advisor_id = $1 and number = -1`,
];

function of(...texts: string[]): Tampering['tamper'] {
  return async ({ sql, ann }) => {
    for (const text of texts) await sql(text, [ann]);
  };
}

export const tamperings: Tampering[] = [
  {
    name: 'a bit of a body',
    names: at,
    tamper: of(`update archive_bodies set ${flip('body')} where advisor_id = $1 and number = ${at}`),
  },
  {
    name: 'a bit of a salt',
    names: at,
    tamper: of(`update archive_bodies set ${flip('salt')} where advisor_id = $1 and number = ${at}`),
  },
  {
    name: 'a word moved from a body into its salt',
    names: at,
    tamper: of(
      `update archive_bodies set salt = salt || substr(body, 1, 5), body = substr(body, 6) where advisor_id = $1 and number = ${at}`,
    ),
  },
  {
    name: 'meta',
    names: at,
    tamper: of(`update archive_entries set meta = meta || ' ' where advisor_id = $1 and number = ${at}`),
  },
  {
    name: 'meta that is no longer JSON',
    names: at,
    tamper: of(`update archive_entries set meta = 'forged' where advisor_id = $1 and number = ${at}`),
  },
  {
    name: 'a time, by a microsecond',
    names: at,
    tamper: of(
      `update archive_entries set date_time_created = ${moved('date_time_created', "interval '1 microsecond'")} where advisor_id = $1 and number = ${at}`,
    ),
  },
  {
    name: 'who did it',
    names: at,
    tamper: of(`update archive_entries set actor = 'operator' where advisor_id = $1 and number = ${at}`),
  },
  {
    name: 'a body, with a commitment that fits it',
    names: at,
    tamper: of(
      `update archive_bodies set body = 'forged' where advisor_id = $1 and number = ${at}`,
      `update archive_entries e set commitment = sha256(salt || body) from archive_bodies b where e.advisor_id = $1 and e.number = ${at} and b.advisor_id = e.advisor_id and b.number = e.number`,
    ),
  },
  {
    name: 'one entry deleted',
    names: at,
    tamper: of(
      `delete from archive_bodies where advisor_id = $1 and number = ${at}`,
      `delete from archive_entries where advisor_id = $1 and number = ${at}`,
    ),
  },
  {
    name: 'a body deleted',
    names: at,
    tamper: of(`delete from archive_bodies where advisor_id = $1 and number = ${at}`),
  },
  {
    name: 'the tail deleted, with its count',
    names: tail,
    tamper: of(
      `delete from archive_bodies where advisor_id = $1 and number >= ${tail}`,
      `delete from archive_entries where advisor_id = $1 and number >= ${tail}`,
      `update archive_heads set last_number = ${tail - 1} where advisor_id = $1`,
      `update archive_taken set last_number = ${tail - 1} where advisor_id = $1`,
    ),
  },
  {
    name: 'an advisor deleted, with everything that counts their entries',
    names: 1,
    tamper: of(
      'delete from archive_bodies where advisor_id = $1',
      'delete from archive_entries where advisor_id = $1',
      'delete from archive_runs where advisor_id = $1',
      'delete from archive_taken where advisor_id = $1',
      'delete from archive_heads where advisor_id = $1',
    ),
  },
  {
    name: 'two entries swapped',
    names: at,
    tamper: of(...swap('archive_entries', at, at + 1), ...swap('archive_bodies', at, at + 1)),
  },
  {
    name: 'an entry inserted after the last',
    names: 31,
    tamper: of(
      'insert into archive_entries select advisor_id, number + 30, kind, member_id, message_id, actor, trace_id, meta, commitment, date_time_created from archive_entries where advisor_id = $1 and number = 1',
      'insert into archive_bodies select advisor_id, number + 30, salt, body from archive_bodies where advisor_id = $1 and number = 1',
    ),
  },
  {
    name: 'an entry inserted before the first',
    names: 0,
    tamper: of(
      'insert into archive_entries select advisor_id, 0, kind, member_id, message_id, actor, trace_id, meta, commitment, date_time_created from archive_entries where advisor_id = $1 and number = 1',
    ),
  },
  {
    name: 'an entry inserted between two, the rest renumbered',
    names: at,
    tamper: of(
      `update archive_entries set number = -number where advisor_id = $1 and number >= ${at}`,
      'update archive_entries set number = 1 - number where advisor_id = $1 and number < 0',
      `update archive_bodies set number = -number where advisor_id = $1 and number >= ${at}`,
      'update archive_bodies set number = 1 - number where advisor_id = $1 and number < 0',
      `insert into archive_entries select advisor_id, ${at}, kind, member_id, message_id, actor, trace_id, meta, commitment, date_time_created from archive_entries where advisor_id = $1 and number = 1`,
      `insert into archive_bodies select advisor_id, ${at}, salt, body from archive_bodies where advisor_id = $1 and number = 1`,
      'update archive_heads set last_number = last_number + 1 where advisor_id = $1',
    ),
  },
  {
    name: 'one taken out, the rest renumbered',
    names: at,
    tamper: of(
      `delete from archive_bodies where advisor_id = $1 and number = ${at}`,
      `delete from archive_entries where advisor_id = $1 and number = ${at}`,
      `update archive_entries set number = -number where advisor_id = $1 and number > ${at}`,
      'update archive_entries set number = -number - 1 where advisor_id = $1 and number < 0',
      `update archive_bodies set number = -number where advisor_id = $1 and number > ${at}`,
      'update archive_bodies set number = -number - 1 where advisor_id = $1 and number < 0',
    ),
  },
  {
    name: 'an entry moved to another advisor',
    names: 30,
    // A row that is on another node then can't be updated there.
    tamper: async ({ sql, ann, bob }) => {
      for (const [table, columns] of [
        ['archive_entries', entryColumns],
        ['archive_bodies', 'salt, body'],
      ]) {
        await sql(
          `insert into ${table} select $2, 31, ${columns} from ${table} where advisor_id = $1 and number = 30`,
          [ann, bob],
        );
      }
      for (const table of ['archive_bodies', 'archive_entries'])
        await sql(`delete from ${table} where advisor_id = $1 and number = 30`, [ann]);
    },
  },
  {
    name: 'a hash of the tree',
    names: 1,
    tamper: of(`update archive_tiles set ${flip('hashes')} where level = 0 and $1::bigint is not null`),
  },
  {
    name: 'a checkpoint',
    names: 'checkpoint',
    tamper: of(
      `update archive_checkpoints set note = replace(note, 'time 2', 'time 1') where size = 24 and $1::bigint is not null`,
    ),
  },
  {
    name: 'the last checkpoints deleted',
    names: 'the checkpoints',
    tamper: of('delete from archive_checkpoints where size > 40 and $1::bigint is not null'),
  },
  {
    name: 'an entry and every hash and checkpoint after it, signed with the real key',
    names: at,
    tamper: async (target) => {
      await target.sql(`update archive_entries set actor = 'operator' where advisor_id = $1 and number = ${at}`, [
        target.ann,
      ]);
      await fork(target);
    },
  },
  ...disposalTamperings,
  ...tableTamperings,
];

/** Rebuilds the tree from the tables as they are now and signs it, which takes the key. */
async function fork({ sql }: Target): Promise<void> {
  const rows = await sql(
    `select r.first_leaf + e.number - r.first_number as leaf, ${store.leafColumns}
     from archive_runs r
     join archive_entries e on e.advisor_id = r.advisor_id and e.number >= r.first_number and e.number < r.first_number + r.entries
     order by leaf`,
  );
  const leaves = rows.map((row) =>
    leafHash(entryBytes({ ...row, number: Number(row.number), advisorId: Number(row.advisorId) })),
  );
  const checkpoints = await sql(
    'select checkpoint_id as id, size::integer as size, note from archive_checkpoints order by 1',
  );
  let edge: Edge = [];
  let size = 0;
  for (const { id, size: to, note } of checkpoints) {
    edge = (await append(size, edge, leaves.slice(size, to))).edge;
    size = to;
    const [origin, , , ...rest] = note.slice(0, note.lastIndexOf('\n\n') + 1).split('\n');
    const forged = signer.sign([origin, size, rootOf(edge).toString('base64'), ...rest].join('\n'));
    await sql('update archive_checkpoints set note = $2 where checkpoint_id = $1', [id, forged]);
  }
  for (const { level, tile, hashes } of (await append(0, [], leaves)).tiles)
    await sql('update archive_tiles set hashes = $3 where level = $1 and tile = $2', [level, tile, hashes]);
  await sql('update archive_tree set root = $1', [rootOf(edge)]);
}
