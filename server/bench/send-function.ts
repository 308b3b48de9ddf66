import { execFile } from 'node:child_process';
import { globSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { appRole } from '../src/store/database/schema/migrate.ts';
import { findProgram } from './find-program.ts';
import type { Load } from './load.ts';
import type { Scratch } from './scratch.ts';
import { advisorCount, type Cast, firstDigits, peopleOfEach, sampleText } from './send-cast.ts';

/**
 * A send as one function call per request: looks up the recipient and checks consent like the product, takes the next
 * number from the advisor's head, and writes the same rows. It returns no row for a person who hasn't accepted.
 */
const benchSend = `
create or replace function bench_send(
  sender bigint, recipient text, content text, actor text, trace text, segments integer, encoding text, now timestamptz
) returns table (message_id bigint, member_id bigint)
language plpgsql
as $$
declare
  found record;
  next_number bigint;
  new_id bigint := nextval('message_ids');
  salt bytea := uuid_send(gen_random_uuid());
  bytes bytea := convert_to(content, 'UTF8');
begin
  select m.member_id, m.state, a.texting_number, a.consent_required, c.contact_id
  into found
  from advisors a
  join firms f using (firm_id)
  join members m on m.advisor_id = a.advisor_id and m.phone = recipient
  left join lateral (
    select contact_id
    from contacts
    where advisor_id = a.advisor_id and phone = recipient
    order by contact_id
    limit 1
  ) as c on true
  where a.advisor_id = sender;
  if found.state is distinct from 'accepted' or found.contact_id is null then
    return;
  end if;
  insert into archive_heads as head (advisor_id, last_number)
  values (sender, 1)
  on conflict (advisor_id) do update
  set last_number = head.last_number + 1
  returning last_number into next_number;
  insert into archive_bodies (advisor_id, number, salt, body)
  values (sender, next_number, salt, bytes);
  insert into archive_entries (
    advisor_id, number, kind, member_id, message_id, actor, trace_id, meta, commitment, date_time_created
  )
  values (
    sender, next_number, 'text_out', found.member_id, new_id, actor, trace,
    '{"kind":"text","from":"' || found.texting_number || '","to":"' || recipient || '"}', sha256(salt || bytes), now
  );
  insert into messages (
    advisor_id, message_id, member_id, kind, archive_number, status, segments, encoding, date_time_created
  )
  values (sender, new_id, found.member_id, 'text', next_number, 'queued', segments, encoding, now);
  insert into dispatches (advisor_id, message_id, carrier_id, not_before)
  values (sender, new_id, 1, now);
  return query select new_id, found.member_id;
end
$$`;

export async function createFunction({ owner }: Cast): Promise<void> {
  await owner.query(benchSend);
}

export const pgbenchProgram = findProgram('pgbench', '/usr/lib/postgresql/*/bin');

/** The same function called directly by a C program: what PostgreSQL can do. */
export async function pgbench(
  program: string,
  scratch: Scratch,
  { databaseUrl, owner }: Cast,
  { clients, seconds }: { clients: number; seconds: number },
): Promise<Load> {
  const { rows } = await owner.query('select min(advisor_id) as first from members');
  const folder = join(scratch.folder, 'pgbench');
  mkdirSync(folder, { recursive: true });
  const script = join(folder, 'send.sql');
  writeFileSync(
    script,
    `\\set person random(0, ${advisorCount * peopleOfEach - 1})
\\set advisor ${rows[0].first} + mod(:person, ${advisorCount})
\\set digits ${firstDigits} + :person
select * from bench_send(:advisor, '+' || :digits::text, '${sampleText}', 'application:1', 'bench', 1, 'GSM-7', now());
`,
  );
  const options = ['-n', '-M', 'prepared', '-c', String(clients), '-j', String(Math.min(2, clients))];
  const run = promisify(execFile)(
    program,
    [...options, '-T', String(Math.max(1, Math.round(seconds))), '-l', '-f', script, databaseUrl],
    {
      cwd: folder,
      // Like the servers: the restricted role, and no plans that read whole tables.
      env: { ...process.env, PGOPTIONS: `-c role=${appRole} -c enable_seqscan=off` },
      timeout: (seconds + 30) * 1000,
    },
  );
  const owned = scratch.owns(async () => void run.child.kill('SIGKILL'));
  const { stdout } = await run;
  await owned.stop();
  const perSecond = Number(/tps = ([\d.]+)/.exec(stdout)?.[1]);
  const failed = Number(/number of failed transactions: (\d+)/.exec(stdout)?.[1] ?? 0);
  if (!(perSecond > 0) || failed > 0) throw new Error(`pgbench failed: ${stdout}`);
  const latencies = latenciesIn(folder);
  const at = (share: number) => latencies[Math.min(latencies.length - 1, Math.floor(latencies.length * share))] ?? 0;
  return { count: latencies.length, perSecond, p50Ms: at(0.5), p99Ms: at(0.99) };
}

/** From its log, one line per call: client, number, microseconds … */
function latenciesIn(folder: string): number[] {
  const files = globSync(join(folder, 'pgbench_log.*'));
  const lines = files.flatMap((file) => readFileSync(file, 'utf8').trim().split('\n'));
  for (const file of files) rmSync(file);
  return lines.map((line) => Number(line.split(' ')[2]) / 1000).sort((a, b) => a - b);
}
