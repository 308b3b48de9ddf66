import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { disconnect } from '../../src/domain/access/grants.ts';
import { sendDueMessages } from '../../src/domain/messages/due-messages.ts';
import { deliverer } from '../../src/domain/webhooks/deliverer.ts';
import { testWebhook } from '../../src/domain/webhooks/deliveries.ts';
import { pushedTypes } from '../../src/domain/webhooks/pushed-events.ts';
import { setWebhook } from '../../src/domain/webhooks/webhooks.ts';
import { addContact, contactsPath } from '../address-book/address-book.ts';
import { exactly, fetchDocument, resolved } from '../support/openapi.ts';
import { say } from '../support/people.ts';
import { acceptedPhone, newPhone, send, setConsent, statusOf } from '../support/texting.ts';
import { makeWorld } from '../support/world.ts';
import { makeReceiver } from './receiver.ts';

const world = await makeWorld();
after(() => world.close());
const { ann, deps, clientId } = world;
const hourMs = 3_600_000;

test('every event that is pushed has a schema in openapi.json, and every schema an event', async () => {
  const receiver = await makeReceiver(() => secret);
  const secret = await setWebhook(deps, clientId, receiver.url);
  const push = async () => {
    const webhooks = deliverer(deps, world.app.log as never);
    await webhooks.tick();
    await webhooks.settled();
  };

  const [phone, stopped] = [await acceptedPhone(world, ann), await acceptedPhone(world, ann)];
  const schedule = { scheduleDelivery: true, deliveryDate: world.clock.now().getTime() + hourMs };
  for (const to of [phone, stopped]) await send(ann, { phone: to, text: 'Later', ...schedule });
  await setConsent(world, ann, newPhone(), 'pending');
  await say(world, ann, stopped, 'STOP');
  await world.clock.advance(2 * hourMs);
  await sendDueMessages(deps);
  const { messageId } = (await send(ann, { phone, text: 'Now' })).body.successes[0];
  await statusOf(ann, messageId, 'delivered');
  const contactId = await addContact(ann);
  await push();
  await ann.call('PUT', `${contactsPath}/${contactId}`, { city: 'Chicago' });
  await push();
  await ann.call('DELETE', `${contactsPath}/${contactId}`);
  await push();
  await testWebhook(deps, { clientId });
  await disconnect(deps, clientId, ann.advisor.advisorId);
  await push();
  await receiver.close();

  const document = await fetchDocument(world.app);
  const check = exactly(document);
  const { webhooks = {} } = document;
  for (const { body, headers } of receiver.accepted) {
    const operation = webhooks[body.type]?.post;
    assert.ok(operation, body.type);
    check(operation.requestBody?.content['application/json']?.schema ?? {}, body);
    for (const each of operation.parameters) assert.ok(headers[resolved(document, each).name], body.type);
  }
  const pushed = new Set(receiver.accepted.map(({ body }) => body.type));
  assert.deepEqual([...pushed].sort(), Object.keys(webhooks).sort());
  assert.deepEqual([...pushedTypes].sort(), Object.keys(webhooks).sort());
});
