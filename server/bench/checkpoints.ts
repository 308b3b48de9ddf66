import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { openTree } from '../src/domain/archive/merkle.ts';
import type { Runtime } from '../src/runtime.ts';
import type { Cast } from './send-cast.ts';

const notesAtOnce = 5_000;

/** Replaces the checkpoints by many, at sizes that are spread evenly, here and in the folder outside. */
export async function signOften(
  { signer }: Runtime,
  { owner }: Cast,
  outsideDir: string,
  count: number,
): Promise<void> {
  if (!signer) throw new Error('Without a key nothing is signed.');
  const { rows: tiles } = await owner.query('select hashes from archive_tiles where level = 0 order by tile');
  const { rows } = await owner.query('select size::integer as size from archive_tree');
  const { size } = rows[0];
  const checkpoints = join(outsideDir, 'checkpoints');
  await owner.query('alter table archive_checkpoints disable trigger append_only');
  await owner.query('delete from archive_checkpoints');
  rmSync(checkpoints, { force: true });
  let signed: { size: number; note: string }[] = [];
  const keep = async () => {
    await owner.query(
      `insert into archive_checkpoints (size, note, date_time_created)
       select *, now()
       from unnest($1::bigint[], $2::text[])`,
      [signed.map((each) => each.size), signed.map(({ note }) => note)],
    );
    writeFileSync(checkpoints, signed.map(({ note }) => `${note}\n`).join(''), { flag: 'a' });
    signed = [];
  };
  const tree = openTree(0, []);
  // Before every entry: a sandbox's clock may be ahead of real time, never behind it.
  const firstMs = Date.parse('2020-01-01T00:00:00Z');
  let made = 0;
  for (const { hashes } of tiles)
    for (let at = 0; at < hashes.length && tree.size() < size; at += 32) {
      tree.add(hashes.subarray(at, at + 32));
      tree.takeFullTiles();
      for (; made < Math.floor((count * tree.size()) / size); made += 1) {
        const root = tree.root().toString('base64');
        const time = new Date(firstMs + made).toISOString();
        const note = signer.sign(`${signer.verifier.name}\n${tree.size()}\n${root}\ntime ${time}\n`);
        signed.push({ size: tree.size(), note });
        if (signed.length === notesAtOnce) await keep();
      }
    }
  await keep();
  await owner.query('alter table archive_checkpoints enable always trigger append_only');
  await owner.query('analyze archive_checkpoints');
}
