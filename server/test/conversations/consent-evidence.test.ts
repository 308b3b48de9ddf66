import assert from 'node:assert/strict';
import { after, before, suite, test } from 'node:test';
import { addStaff } from '../../src/domain/accounts/staff.ts';
import { recordConsent } from '../../src/domain/consent/consents.ts';
import { setWording } from '../../src/domain/texting/wordings.ts';
import { type AdvisorApp, makeAdvisorApp } from '../support/advisor-app.ts';
import { acceptedPhone, consentRequestsPath, newPhone, received, reply, send } from '../support/texting.ts';
import type { Visitor } from '../support/visitor.ts';

let pages: AdvisorApp;
let ann: Visitor;

before(async () => {
  pages = await makeAdvisorApp();
  ({ visitor: ann } = await pages.signedIn());
});
after(() => pages.close());

async function evidenceOf(phone: string) {
  const { body } = await ann.get(`/app/api/conversations?phone=${encodeURIComponent(phone)}`);
  const { memberId } = body.data[0];
  const items = (await ann.get(`/app/api/conversations/${memberId}/items`)).body.data;
  const { data } = (await ann.get(`/app/api/conversations/${memberId}/evidence`)).body;
  return { data, items };
}

suite('the evidence of consent', () => {
  test('is what was asked and answered, when, how, and who recorded it', async () => {
    const { world } = pages;
    const phone = newPhone();
    await world.ann.call('POST', consentRequestsPath, { phoneNumbers: [phone] });
    const [asked] = await received(world, phone);
    await world.clock.advance(60_000);
    await reply(world, phone, world.ann.advisor.textingNumber ?? '', 'Accept!');
    const { data, items } = await evidenceOf(phone);
    const [accepted, requested] = data;
    assert.deepEqual(
      [accepted.state, accepted.reason, accepted.channel, accepted.by],
      ['accepted', 'accepted', 'text', 'person'],
    );
    assert.equal(accepted.wording.text, asked?.text);
    assert.equal(accepted.reply.text, 'Accept!');
    assert.equal(accepted.wording.shown, requested.dateTime);
    assert.deepEqual([requested.state, requested.by, requested.byName], ['pending', 'application', 'Test CRM']);
    assert.equal(requested.reply, null);
    const moves = items.filter(({ type }: { type: string }) => type === 'consent');
    assert.deepEqual(
      moves.map(({ id }: { id: string }) => id),
      [requested.id, accepted.id],
    );
  });

  test('names the person of the firm who recorded it, and what they wrote down', async () => {
    const { world } = pages;
    const { advisorId, firmId } = world.ann.advisor;
    const staff = await addStaff(world.deps, { firmId, name: 'Cora Lane', email: 'cora@test.example' });
    const phone = newPhone();
    await recordConsent(world.deps, { advisorId, phone, proof: 'Signed on paper, cabinet 3', staff });
    const { data } = await evidenceOf(phone);
    assert.deepEqual(
      data.map(({ by, byName, channel, proof }: Record<string, unknown>) => [by, byName, channel, proof]),
      [['staff', 'Cora Lane', 'paper', 'Signed on paper, cabinet 3']],
    );
  });

  test('wordings are shown as people read them, in the firm’s latest version', async () => {
    const { world } = pages;
    const { firmId } = world.ann.advisor;
    await setWording(world.deps, firmId, { kind: 'help', text: '{firm}: ask {advisor}. STOP to opt out.' });
    const { data } = (await ann.get('/app/api/wordings')).body;
    const help = data.find(({ kind }: { kind: string }) => kind === 'help');
    assert.deepEqual(help, { kind: 'help', version: 1, text: 'Test Wealth: ask ann. STOP to opt out.' });
  });

  test('is nobody else’s', async () => {
    const { world } = pages;
    const phone = await acceptedPhone(world, world.bob);
    const { memberId } = (await send(world.bob, { phone, text: 'Hello' })).body.successes[0];
    const { data } = (await ann.get(`/app/api/conversations/${memberId}/evidence`)).body;
    assert.deepEqual(data, []);
  });
});
