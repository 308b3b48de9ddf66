import assert from 'node:assert/strict';
import { after, before, suite, test } from 'node:test';
import Telnyx from 'telnyx';
import twilio from 'twilio';
import { newPhone } from '../../support/texting.ts';
import { accountSid, apiKey, authToken, type StandIn, startStandIn } from './stand-in.ts';
import { vendors } from './vendors.ts';

const from = '+15005552001';

suite('the vendors’ own clients understand the stand-in, and send what we send', () => {
  let standIn: StandIn;
  before(async () => {
    standIn = await startStandIn();
  });
  after(() => standIn.stop());

  /** Twilio's client, whose requests go to the stand-in. */
  function twilioClient() {
    const base = `http://127.0.0.1:${standIn.port}`;
    const client = new twilio.RequestClient();
    const request = client.request.bind(client);
    client.request = (options) => {
      const uri = options.uri
        .replace('https://api.twilio.com', base)
        .replace('https://lookups.twilio.com', `${base}/lookups`);
      return request({ ...options, uri });
    };
    return twilio(accountSid, authToken, { httpClient: client });
  }

  async function ours(name: string, to: string, text: string): Promise<string> {
    const vendor = vendors.find((each) => each.name === name);
    await vendor?.open(standIn).submit({ from, to, text, kind: 'text', reference: 7 });
    return (await standIn.taken(to))[0]?.body ?? '';
  }

  test('Twilio: a text, its list, an error and a lookup', async () => {
    const client = twilioClient();
    const to = newPhone();
    const statusCallback = 'http://localhost:8080/carriers/main/calls?reference=7#rc=5&rp=all';
    const { sid } = await client.messages.create({ to, from, body: 'Grüße & more 👋', statusCallback });
    const [taken] = await standIn.taken(to);
    assert.equal(sid, taken?.id);
    const fields = (body: string) => Object.fromEntries(new URLSearchParams(body));
    const ownPhone = newPhone();
    const own = fields(await ours('twilio', ownPhone, 'Grüße & more 👋'));
    assert.deepEqual({ ...own, To: to }, fields(taken?.body ?? ''));
    await standIn.move(sid, 'delivered');
    const [listed] = await client.messages.list({
      to,
      from,
      dateSentAfter: new Date(Date.now() - 86_400_000),
      limit: 5,
    });
    assert.deepEqual([listed?.sid, listed?.status, listed?.body], [sid, 'delivered', 'Grüße & more 👋']);
    const found = await client.lookups.v2.phoneNumbers('+12125550102').fetch({ fields: 'line_type_intelligence' });
    assert.equal(found.lineTypeIntelligence.type, 'landline');
    await standIn.behave({ error: { code: '21610', status: 400 } });
    await assert.rejects(client.messages.create({ to, from, body: 'x' }), { code: 21610, status: 400 });
  });

  test('Telnyx: a text, its record, an error and a lookup', async () => {
    const client = new Telnyx({ apiKey, baseURL: `http://127.0.0.1:${standIn.port}/telnyx/v2`, maxRetries: 0 });
    const to = newPhone();
    const webhook_url = 'http://localhost:8080/carriers/main/calls?reference=7';
    const message = { to, from, text: 'Grüße 👋', type: 'SMS', webhook_url, use_profile_webhooks: false } as const;
    const id = (await client.messages.send(message)).data?.id ?? '';
    const [taken] = await standIn.taken(to);
    assert.equal(id, taken?.id);
    const ownPhone = newPhone();
    assert.deepEqual({ ...JSON.parse(await ours('telnyx', ownPhone, 'Grüße 👋')), to }, JSON.parse(taken?.body ?? ''));
    const retrieved = (await client.messages.retrieve(id)).data;
    assert.ok(retrieved && 'webhook_url' in retrieved && retrieved.webhook_url === webhook_url);
    const since = new Date(Date.now() - 60_000).toISOString();
    const filter = { record_type: 'messaging' as const, cli: from, cld: to, created_at: { gte: since, lt: '9' } };
    const [record] = (await client.detailRecords.list({ filter })).data ?? [];
    assert.equal((record as { uuid?: string }).uuid, id);
    const found = await client.numberLookup.retrieve('+12125550102', { type: 'carrier' });
    assert.equal(found.data?.carrier?.type, 'fixed line');
    await standIn.behave({ error: { code: '40300', status: 400 } });
    await assert.rejects(client.messages.send(message), { status: 400 });
  });
});
