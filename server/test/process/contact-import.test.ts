import assert from 'node:assert/strict';
import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, suite, test } from 'node:test';
import pg from 'pg';
import { runCommand } from '../support/commands.ts';
import { isQuiet, isWaiting } from '../support/database.ts';
import {
  assent,
  type Deployment,
  launchCommand,
  makeDeployment,
  type Program,
  startServer,
} from '../support/programs.ts';
import { until } from '../support/waiting.ts';

const rows = 12_500;
const batchSize = 2_500;
const advisor = ['--advisor', 'devon@sandbox.example'];
const importMs = 60_000;

suite(`an import of ${rows} contacts`, () => {
  let deployment: Deployment;
  let server: Program;
  let token = '';
  let path = '';
  before(async () => {
    deployment = await makeDeployment();
    server = await startServer(deployment.env);
    token = (await runCommand(['token', ...advisor], deployment.env)).stdout.trim();
    path = join(deployment.folder.path, 'people.csv');
    const people = Array.from({ length: rows }, (_, n) => `Ann,Number${n},p${n}@mail.example,${phoneOf(n)}\n`);
    writeFileSync(path, `First Name,Last Name,Email,Phone\n${people.join('')}`);
  });
  after(async () => {
    await server?.stop();
    await deployment?.remove();
  });

  async function page(number: number, sortBy: string) {
    const headers = { authorization: `Bearer ${token}`, 'x-api-key': deployment.folder.sandbox().apiKey };
    const query = `page=${number}&pageSize=200&sortBy=${sortBy}`;
    const answer = await server.fetch(`/v1/core/contact/contacts?${query}`, { headers });
    assert.equal(answer.status, 200);
    return (await answer.json()) as { data: { contactId: number }[]; pageInfo: { totalRecord: number } };
  }
  /** Until it lets go, nobody else gets to know the number: the batch that has it can't be saved. */
  async function holdNumber(phone: string): Promise<{ letGo(): Promise<void> }> {
    const holder = new pg.Client({ connectionString: deployment.database.url });
    await holder.connect();
    await holder.query('begin');
    await holder.query(
      `insert into members (advisor_id, phone, last_changed, date_time_created)
       select advisor_id, $1, now(), now()
       from advisors
       where email = 'devon@sandbox.example'`,
      [phone],
    );
    return { letGo: () => holder.end() };
  }

  const inBook = async () => (await page(1, 'email')).pageInfo.totalRecord;

  test('that is killed leaves whole batches, a book that others can read meanwhile, and nobody twice after a second run', async () => {
    // It can't be over before it is killed: its third batch waits for us.
    const held = await holdNumber(phoneOf(2 * batchSize));
    const patient = { ...deployment.env, DATABASE_TIMEOUT_MS: String(10 * importMs) };
    const first = launchCommand(['contacts', 'import', path, ...advisor], patient);
    const killed = once(first, 'close');
    let seen = 0;
    await until(
      'a part is imported',
      async () => {
        for (const sortBy of ['fullName', 'email', 'source', 'dateTimeCreated']) {
          const number = 1 + Math.floor(seen / 400);
          const { data, pageInfo } = await page(number, sortBy);
          const expected = Math.min(200, Math.max(0, pageInfo.totalRecord - (number - 1) * 200));
          assert.equal(new Set(data.map(({ contactId }) => contactId)).size, expected);
          assert.ok(pageInfo.totalRecord >= seen);
          seen = pageInfo.totalRecord;
        }
        return seen >= 2 * batchSize;
      },
      importMs,
    );
    await until('its next batch waits', () => isWaiting(deployment.database));
    first.kill('SIGKILL');
    await killed;
    await held.letGo();
    await until('nothing is written any more', () => isQuiet(deployment.database));
    const left = await inBook();
    assert.ok(left < rows);
    assert.equal(left % batchSize, 0);

    const second = await assent(['contacts', 'import', path, ...advisor], patient);
    assert.match(second.stderr, new RegExp(`Imported ${rows - left}, updated 0, skipped ${left} already in the book`));
    assert.equal(await inBook(), rows);
  });
});

function phoneOf(row: number): string {
  return `+1212${2_000_000 + row}`;
}
