import type { Deps } from '../../src/deps.ts';
import { issueApiKey } from '../../src/domain/access/api-keys.ts';
import { addApplication } from '../../src/domain/access/applications.ts';
import { provision } from '../../src/domain/access/grants.ts';
import { addAdvisor } from '../../src/domain/accounts/advisors.ts';
import { addStaff } from '../../src/domain/accounts/staff.ts';
import { addCarrier } from '../../src/domain/carriers/carriers.ts';
import { addAlertTarget } from '../../src/domain/operations/alerts.ts';
import { testWebhook } from '../../src/domain/webhooks/deliveries.ts';
import { insertWebhook } from '../../src/domain/webhooks/webhooks.ts';
import { insertDeliveries } from '../../src/store/webhooks/deliveries.ts';
import type { World } from '../support/world.ts';

type Ids = Record<string, number | string>;
export type OperatorSample = { ids?(firm: { firmId: number }): Promise<Ids>; query?: string; body?: object };

const plan = { ratePerSecond: 5, burst: 10, dailyQuota: null };
const telnyx = { kind: 'telnyx', settings: { apiKey: 'KEY', publicKey: `${'A'.repeat(43)}=` } };

/** How each route of the operator's pages is called, on something that was made for it: none depends on another. */
export function operatorSamples(world: () => World): Record<string, OperatorSample> {
  let made = 0;
  const advisor = async () => {
    made += 1;
    const { advisorId } = await addAdvisor(world().deps, {
      firmId: world().ann.advisor.firmId,
      name: 'Sam',
      email: `sam${made}@test.example`,
      textingNumber: `+1500555${7000 + made}`,
    });
    return { advisorId };
  };
  const carrier = async () => {
    made += 1;
    return { carrier: (await addCarrier(world().deps, { name: `carrier${made}`, ...telnyx })).name };
  };
  const staff = async () => {
    made += 1;
    const { firmId } = world().ann.advisor;
    const email = `lee${made}@staff.example`;
    return { staffId: (await addStaff(world().deps, { firmId, name: 'Lee', email })).staffId };
  };
  const application = async () => ({ clientId: await newApplication(world().deps) });
  const key = async () => ({
    keyId: (await issueApiKey(world().deps, await newApplication(world().deps), plan)).keyId,
  });
  const provisioned = async () => {
    const clientId = await newApplication(world().deps);
    const { advisorId } = world().ann.advisor;
    await provision(world().deps, advisorId, clientId);
    return { clientId, advisorId };
  };
  const doubt = async () => ({ advisorId: world().ann.advisor.advisorId, messageId: 1 });
  const webhook = async () => {
    const clientId = await newApplication(world().deps);
    const { webhookId } = await insertWebhook(world().deps, clientId, { url: 'http://localhost:9/hook', types: null });
    return { webhookId };
  };
  const tested = async () => {
    const ids = await webhook();
    const delivery = await testWebhook(world().deps, { webhookId: ids.webhookId });
    await insertDeliveries(world().deps.db, [{ ...delivery, eventId: 'evt_known' }]);
    return ids;
  };
  const target = async () => {
    made += 1;
    const { target } = await addAlertTarget(world().deps, { kind: 'webhook', address: `http://localhost:9/${made}` });
    return { targetId: target.targetId };
  };
  return {
    'POST /explanations': {
      body: { advisorId: 0, from: 1, to: 1, reason: 'The clock was ahead' },
    },
    'GET /traffic': { query: '?range=day' },
    'GET /traffic/now': {},
    'GET /all-staff': {},
    'POST /all-staff': { body: { name: 'Another', email: 'another@staff.example', role: 'operator' } },
    'PUT /all-staff/:staffId': { ids: staff, body: { disabled: true } },
    'POST /all-staff/:staffId/invite': { ids: staff },
    'GET /firms': {},
    'POST /firms': { body: { name: 'A third firm' } },
    'PUT /firms/:firmId': { ids: async ({ firmId }) => ({ firmId }), body: { firstTextLine: true } },
    'GET /advisors': {},
    'POST /firms/:firmId/advisors': {
      ids: async ({ firmId }) => ({ firmId }),
      body: { name: 'New Advisor', email: 'new.advisor@test.example' },
    },
    'PUT /advisors/:advisorId': { ids: advisor, body: { quietHours: 'defer' } },
    'POST /advisors/:advisorId/invite': { ids: advisor },
    'GET /carriers': {},
    'GET /carriers/kinds': {},
    'POST /carriers': { body: { name: 'added', ...telnyx } },
    'PUT /carriers/:carrier': { ids: carrier, body: { disabled: true } },
    'DELETE /carriers/:carrier': { ids: carrier },
    'GET /numbers': {},
    // Who has a number already gets a 409.
    'POST /numbers/:advisorId': { ids: advisor, body: { number: '+15005550199', carrier: 'sandbox' } },
    'PUT /numbers/:advisorId': { ids: advisor, body: { pace: 5 } },
    'DELETE /numbers/:advisorId': { ids: advisor },
    'GET /numbers/:advisorId/check': { ids: advisor },
    'GET /applications': {},
    'POST /applications': { body: { name: 'New CRM', redirectUris: [] } },
    'PUT /applications/:clientId': { ids: application, body: { scopes: ['openid'] } },
    'POST /applications/:clientId/secret': { ids: application },
    'POST /applications/:clientId/disable': { ids: application },
    'POST /applications/:clientId/disconnect': { ids: application, body: {} },
    'GET /applications/:clientId/provisions': { ids: application },
    'PUT /applications/:clientId/provisions/:advisorId': { ids: provisioned },
    'DELETE /applications/:clientId/provisions/:advisorId': { ids: provisioned },
    'POST /applications/:clientId/keys': { ids: application, body: plan },
    'GET /keys': {},
    'PUT /keys/:keyId': { ids: key, body: plan },
    'POST /keys/:keyId/revoke': { ids: key },
    'GET /audit': { query: '?kind=setting' },
    'GET /audit/actors': {},
    'GET /operations': {},
    'GET /doctor': {},
    'GET /doubts': {},
    // A text that isn't in doubt gets a 409.
    'POST /doubts/:advisorId/:messageId/settle': { ids: doubt, body: { as: 'sent' } },
    'POST /doubts/:advisorId/:messageId/read': { ids: doubt, body: { reason: 'The carrier asks for it.' } },
    'GET /webhooks': {},
    'POST /applications/:clientId/webhooks': { ids: application, body: { url: 'https://partner.example/hook' } },
    'DELETE /webhooks/:webhookId': { ids: webhook },
    'POST /webhooks/:webhookId/secret': { ids: webhook },
    'POST /webhooks/:webhookId/disable': { ids: webhook },
    'POST /webhooks/:webhookId/enable': { ids: webhook },
    'POST /webhooks/:webhookId/test': { ids: webhook },
    'GET /webhooks/:webhookId/deliveries': { ids: webhook },
    'POST /webhooks/:webhookId/redeliver': { ids: tested, body: { eventId: 'evt_known' } },
    'GET /alerts': {},
    'POST /alerts/targets': { body: { kind: 'webhook', address: 'https://on-call.example/hook' } },
    'DELETE /alerts/targets/:targetId': { ids: target },
    'POST /alerts/targets/:targetId/test': { ids: target },
    'GET /signing-keys': {},
    'POST /signing-keys': { body: { leaked: false } },
  };
}

async function newApplication(deps: Deps): Promise<string> {
  return (await addApplication(deps, { name: 'CRM', redirectUris: [] })).application.clientId;
}
