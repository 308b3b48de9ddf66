import assert from 'node:assert/strict';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { listVerbs } from '../../src/cli/verbs.ts';
import { issueApiKey } from '../../src/domain/access/api-keys.ts';
import { addApplication } from '../../src/domain/access/applications.ts';
import { addAdvisor } from '../../src/domain/accounts/advisors.ts';
import { addFirm } from '../../src/domain/accounts/firms.ts';
import { insertWebhook } from '../../src/domain/webhooks/webhooks.ts';
import { verbsOfPages, verbsWithoutPage } from '../../verb-pages.ts';
import { commandsWith } from '../support/commands.ts';
import { makeStaff, type StaffPerson } from '../support/console.ts';
import { makeWorld, type World } from '../support/world.ts';

let world: World;
let folder: string;
let operator: StaffPerson;
before(async () => {
  world = await makeWorld();
  folder = mkdtempSync(join(tmpdir(), 'assent-pages-'));
  operator = await makeStaff(world, { role: 'operator' });
});
after(async () => {
  await world.close();
  rmSync(folder, { recursive: true, force: true });
});
const { run } = commandsWith(() => ({ DATABASE_URL: world.database.url, ASSENT_DATA_DIR: folder }));

describe('the commands and the pages', () => {
  it('every verb has a page, or a reason why not, and every page exists', async () => {
    const verbs = (await listVerbs()).map(({ name }) => name);
    const named = [verbsOfPages, verbsWithoutPage].flatMap((those) => Object.values(those).flat());
    assert.deepEqual(named.toSorted(), verbs.toSorted());
    const routes = readFileSync(new URL('../../../web/src/console/routes.tsx', import.meta.url), 'utf8');
    for (const page of Object.keys(verbsOfPages)) assert.match(routes, new RegExp(`(path: |page\\()'${page}'`), page);
  });

  /** The same act by a command and by a page, each on something of its own that `make` made. */
  type Act = {
    make?(): Promise<string>;
    command(id: string): string[];
    page(id: string): Parameters<StaffPerson['call']>;
  };
  const firm = async () => String((await addFirm(world.deps, 'A firm')).firmId);
  let made = 0;
  const advisor = async () => {
    const email = `twin${made++}@test.example`;
    const { firmId } = world.ann.advisor;
    return String((await addAdvisor(world.deps, { firmId, name: 'Twin', email })).advisorId);
  };
  const application = async () =>
    (await addApplication(world.deps, { name: 'CRM', redirectUris: [] })).application.clientId;
  const key = async () => String((await issueApiKey(world.deps, await application())).keyId);
  const webhook = async () => {
    const clientId = await application();
    const { webhookId } = await insertWebhook(world.deps, clientId, { url: 'https://p.example/hook', types: null });
    return `${clientId} ${webhookId}`;
  };
  const number = '+15005556001';
  const acts: Record<string, Act> = {
    'firms add': {
      command: () => ['firms', 'add', 'Hill Wealth'],
      page: () => ['POST', '/firms', { name: 'Hill Wealth' }],
    },
    'firms set': {
      make: firm,
      command: (id) => ['firms', 'set', id, '--first-text-line', 'yes'],
      page: (id) => ['PUT', `/firms/${id}`, { firstTextLine: true }],
    },
    'advisors set': {
      make: advisor,
      command: (id) => ['advisors', 'set', id, '--quiet-hours', 'defer', '--disabled', 'yes'],
      page: (id) => ['PUT', `/advisors/${id}`, { quietHours: 'defer', disabled: true }],
    },
    'advisors invite': {
      make: advisor,
      command: (id) => ['advisors', 'invite', id],
      page: (id) => ['POST', `/advisors/${id}/invite`],
    },
    'numbers release': {
      make: async () => {
        const id = await advisor();
        await run(['numbers', 'add', number, '--advisor', id, '--carrier', 'sandbox']);
        return id;
      },
      command: () => ['numbers', 'release', number, '--yes'],
      page: (id) => ['DELETE', `/numbers/${id}`],
    },
    'applications set': {
      make: application,
      command: (id) => ['applications', 'set', id, '--scope', 'openid', '--redirect-uri', 'https://crm.example/back'],
      page: (id) => ['PUT', `/applications/${id}`, { scopes: ['openid'], redirectUris: ['https://crm.example/back'] }],
    },
    'applications disable': {
      make: application,
      command: (id) => ['applications', 'disable', id, '--yes'],
      page: (id) => ['POST', `/applications/${id}/disable`],
    },
    'keys set-plan': {
      make: key,
      command: (id) => ['keys', 'set-plan', id, '--rate', '5', '--burst', '10', '--daily-quota', '1000'],
      page: (id) => ['PUT', `/keys/${id}`, { ratePerSecond: 5, burst: 10, dailyQuota: 1000 }],
    },
    'keys revoke': {
      make: key,
      command: (id) => ['keys', 'revoke', id, '--yes'],
      page: (id) => ['POST', `/keys/${id}/revoke`],
    },
    'webhooks disable': {
      make: webhook,
      command: (id) => ['webhooks', 'disable', id.split(' ')[0] ?? ''],
      page: (id) => ['POST', `/webhooks/${id.split(' ')[1]}/disable`],
    },
  };

  for (const [verb, { make = async () => '', command, page }] of Object.entries(acts))
    it(`${verb}: the same entries by command and by page, but for who did it`, async () => {
      const args = command(await make());
      const byCommand = await entriesOf(async () => {
        const { status, stderr } = await run(args);
        assert.equal(status, 0, stderr);
      });
      const call = page(await make());
      const byPage = await entriesOf(async () => {
        const { status, body } = await operator.call(...call);
        assert.ok(status < 300, JSON.stringify(body));
      });
      assert.ok(byCommand.length > 0);
      assert.deepEqual(
        byPage.map(({ actor, ...entry }) => ({ ...entry, by: actor })),
        byCommand.map(({ actor: _, ...entry }) => ({ ...entry, by: `staff:${operator.staffId}` })),
      );
      assert.ok(byCommand.every(({ actor }) => actor === 'operator'));
    });

  /** The entries of an act, without ids, times and secrets, which differ. */
  async function entriesOf(act: () => Promise<void>) {
    const [before] = await world.database.asOwner<{ at: string }>('select clock_timestamp()::text as at');
    await act();
    const rows = await world.database.asOwner<{ kind: string; actor: string; meta: string; body: string }>(
      `select kind, actor, meta, convert_from(body, 'UTF8') as body
       from archive_entries join archive_bodies using (advisor_id, number)
       where recorded_at >= $1::timestamptz
       order by recorded_at, advisor_id, number`,
      [before?.at],
    );
    const plain = (text: string) => text.replace(/"[^"]*(Id|dateTime\w*|expires)":("[^"]*"|\d+)/g, '"$1":"…"');
    return rows.map(({ kind, actor, meta, body }) => ({ kind, actor, meta: plain(meta), body: plain(body) }));
  }
});
