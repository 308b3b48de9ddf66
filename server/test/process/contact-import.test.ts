import assert from 'node:assert/strict';
import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, suite, test } from 'node:test';
import {
  assent,
  type Deployment,
  launchCommand,
  makeDeployment,
  type Program,
  startServer,
} from '../support/programs.ts';
import { until } from '../support/waiting.ts';

const rows = 20_000;
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
    token = (await assent(['token', ...advisor], deployment.env)).stdout.trim();
    path = join(deployment.folder.path, 'people.csv');
    const people = Array.from({ length: rows }, (_, n) => `Ann,Number${n},p${n}@mail.example,+1212${2_000_000 + n}\n`);
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
  const inBook = async () => (await page(1, 'email')).pageInfo.totalRecord;

  test('that is killed leaves whole batches, a book that others can read meanwhile, and nobody twice after a second run', async () => {
    const first = launchCommand(['contacts', 'import', path, ...advisor], deployment.env);
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
        return seen >= 5_000;
      },
      importMs,
    );
    first.kill('SIGKILL');
    await killed;
    // A commit that PostgreSQL has received is still carried out.
    let left = -1;
    const isSettled = async () => {
      const before = left;
      left = await inBook();
      return left === before;
    };
    await until('nothing is written any more', isSettled, importMs, 500);
    assert.ok(left < rows, 'it was killed too late');
    assert.equal(left % 2_500, 0);

    const second = await assent(['contacts', 'import', path, ...advisor], deployment.env);
    assert.match(second.stderr, new RegExp(`Imported ${rows - left}, updated 0, skipped ${left} already in the book`));
    assert.equal(await inBook(), rows);
  });
});
