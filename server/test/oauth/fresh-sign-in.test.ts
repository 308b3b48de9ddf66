import assert from 'node:assert/strict';
import { after, suite, test } from 'node:test';
import { signedIn } from '../support/oauth-client.ts';
import type { Visit, Visitor } from '../support/visitor.ts';
import { makeOAuthWorld } from './setup.ts';

const { world, crm } = await makeOAuthWorld();
after(() => world.close());
const { ann } = world;

suite('a fresh sign-in', () => {
  /** Makes it look as if the advisor had signed in that long ago. */
  async function age(seconds: number): Promise<void> {
    await world.database.asOwner(
      'update sessions set date_time_created = now() - make_interval(secs => $1) where advisor_id = $2',
      [seconds, ann.advisor.advisorId],
    );
  }

  async function pageFor(
    browser: Visitor,
    changes: Record<string, string | undefined>,
  ): Promise<{ page: Visit; path: string }> {
    const { location: path = '' } = await browser.get(crm.authorizeUrl(changes));
    return { page: await browser.get(path), path };
  }

  const asksToSignIn = /<h1>Sign in to connect Partner CRM<\/h1>/;
  const asksToAllow = /<h1>Partner CRM wants to act for you<\/h1>/;

  for (const changes of [{ prompt: 'login' }, { prompt: 'consent login' }, { max_age: '0' }, { max_age: '60' }])
    test(`is forced by ${JSON.stringify(changes)}, and an older session can’t allow`, async () => {
      const browser = await signedIn(world, ann);
      await age(120);
      const { page, path } = await pageFor(browser, changes);
      assert.match(page.body, asksToSignIn);
      const { page: usual } = await pageFor(browser, {});
      assert.match(usual.body, asksToAllow);
      const forged = await browser.submit(usual, path, {
        decision: 'allow',
        formToken: /name="formToken" value="([^"]+)"/.exec(usual.body)?.[1] ?? '',
      });
      assert.equal(forged.location, path, 'back to the sign-in page');
      assert.match((await browser.get(path)).body, asksToSignIn);
    });

  test('is not required of an advisor who signed in within max_age, however long they take to decide', async () => {
    const browser = await signedIn(world, ann);
    await age(50);
    const { page, path } = await pageFor(browser, { max_age: '60' });
    assert.match(page.body, asksToAllow);
    // By now both the request and the sign-in were a good while ago.
    await age(50 + 300);
    await world.database.asOwner(
      `update interactions set payload = jsonb_set(payload, '{iat}', to_jsonb((payload->>'iat')::bigint - 300))`,
    );
    const decided = await browser.submit(page, path, { decision: 'allow' });
    assert.match(decided.location ?? '', /^\/oauth\/authorize\//);
  });

  test('a max_age of centuries requires nothing', async () => {
    for (const max_age of ['9007199254740991', '31536000000'])
      assert.match((await pageFor(await signedIn(world, ann), { max_age })).page.body, asksToAllow);
  });
});
