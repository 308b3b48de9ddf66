import assert from 'node:assert/strict';
import { after, suite, test } from 'node:test';
import { rotateSigningKeys } from '../../src/domain/access/signing-keys.ts';
import { connectCrm } from '../../src/domain/address-book/crm-connections.ts';
import { byAdvisor } from '../../src/domain/archive/archive.ts';
import { growTree } from '../../src/domain/archive/archive-tree.ts';
import { startBroadcast } from '../../src/domain/broadcasts/broadcasts.ts';
import { checkBroadcast } from '../../src/domain/broadcasts/previews.ts';
import { followCarriers } from '../../src/domain/carriers/open-carriers.ts';
import type { Carrier, Crm } from '../../src/domain/ports.ts';
import { dayMs } from '../../src/domain/shared/time.ts';
import { setSamplePercent } from '../../src/domain/supervision/review-samples.ts';
import { deliverer } from '../../src/domain/webhooks/deliverer.ts';
import { listen } from '../../src/domain/webhooks/listening.ts';
import { setWebhook } from '../../src/domain/webhooks/webhooks.ts';
import { requestJobsOf } from '../../src/jobs/requests.ts';
import { jobsOf } from '../../src/jobs/start.ts';
import { makeLog } from '../../src/log.ts';
import { addContact, addGroup, putInGroups } from '../address-book/address-book.ts';
import { passRealTime, yearsMs } from '../archive/passing-years.ts';
import { signer } from '../archive/small-archive.ts';
import { fixedCarriers, openCarrier } from '../support/carriers.ts';
import { memberOf, say } from '../support/people.ts';
import { acceptedPhone, newPhone, send, setConsent, statusOf } from '../support/texting.ts';
import { makeWorld } from '../support/world.ts';

/** What a job finds to do: `make` makes it due, and `left` is SQL, or a function, for how much of it is left. */
type Due = { make(): Promise<unknown>; left: string | (() => number) };

const carrier: Carrier = {
  name: 'sandbox',
  check: () => null,
  // Nobody knows what became of it until it is asked.
  submit: () => Promise.reject(new Error('The response was lost.')),
  listen: () => async () => {},
  find: async ({ reference }) => ({ carrierMessageId: `found ${reference}`, status: 'delivered' }),
  lookUp: async () => 'mobile',
  fetchMedia: async ({ contentType }) => ({ contentType, bytes: Buffer.from('picture') }),
};
const crm: Crm = { lookup: async () => null };
let pushed = 0;
const push = async () => {
  pushed += 1;
  return { signature: '', status: 204, response: '' };
};
const open = openCarrier(carrier, { looksUp: true, readCall: () => null });

suite('every job, as the application’s role, with something to do', async () => {
  const world = await makeWorld({ carriers: fixedCarriers(open), openCrm: () => crm, push });
  after(() => world.close());
  const { ann, clientId, clock, database } = world;
  const { asOwner } = database;
  const { advisorId, firmId } = ann.advisor;
  const lines: string[] = [];
  const log = makeLog('error', { write: (line) => void lines.push(line) });
  const config = { ...world.deps.config, role: 'work' } as const;
  const { sealer, db } = world.deps;
  const followed = followCarriers({
    db,
    sealer,
    kinds: { sandbox: { schema: {}, secrets: [], open: (name) => ({ ...carrier, name }) } },
    extra: { db, clock, publicUrl: '', environment: 'sandbox', outboundAllowedNetworks: [], report: () => {} },
    onFault: () => {},
  });
  const carriers = { ...world.deps.carriers, refresh: () => followed.refresh() };
  let anchored = false;
  const anchor = async () => {
    anchored = true;
  };
  const deps = {
    ...world.deps,
    ...{ config, carriers, signer, deliverCheckpoint: async () => {}, sandboxClock: clock },
    databaseClock: { ...world.deps.databaseClock, anchor },
  };
  const webhooks = deliverer(deps, log);
  const work = jobsOf(deps, log, { texting: world.dispatcher, webhooks });
  const requests = requestJobsOf({ ...deps, config: { ...config, role: 'api' } }, log);

  const expired = `now() - interval '1 day'`;
  const noRow = (table: string, where: string) =>
    `select 1 as left from (select count(*) as found from ${table} where ${where}) as any_of_them where found = 0`;
  const rows = (table: string, where = 'true') => `select count(*) as left from ${table} where ${where}`;
  const newClock = { offsetMs: 0 };

  let carrierRows = 1;
  const follows: Due = {
    make: async () => {
      carrierRows += 1;
      const name = `carrier ${carrierRows}`;
      await asOwner(`insert into carriers (name, kind, date_time_created) values ($1, 'sandbox', now())`, [name]);
    },
    left: () => carrierRows - followed.list().length,
  };

  const due: Record<string, Due> = {
    'delete expired responses': {
      make: () =>
        asOwner(
          `insert into idempotent_responses
           select $1, application_id, 'POST', '/x', 'key', '', 200, '{}', now() - interval '2 days' from applications`,
          [advisorId],
        ),
      left: rows('idempotent_responses'),
    },
    'delete expired tokens': {
      make: () =>
        asOwner(
          `insert into oauth_tokens (token_hash, kind, grant_id, payload, date_time_expires, date_time_used, response) values
             ('expired', 'RefreshToken', 'g1', '{}', ${expired}, null, null),
             ('answered', 'RefreshToken', 'g2', '{}', 'infinity', ${expired}, 'answer'),
             ('ended', 'RefreshToken', 'g3', '{}', 'infinity', null, null);
           insert into ended_grants (grant_id) values ('g3');
           insert into revoked_tokens values ('revoked', ${expired});
           insert into interactions values ('uid', 'browser', '{}', ${expired})`,
        ),
      left: `select
        (select count(*) from oauth_tokens where token_hash <> 'answered' or response is not null)
        + (select count(*) from ended_grants) + (select count(*) from revoked_tokens)
        + (select count(*) from interactions) as left`,
    },
    'delete expired sign-ins': {
      make: () =>
        asOwner(
          `insert into sessions values ('s', ${advisorId}, 'password', '', ${expired}, ${expired}, ${expired});
           insert into devices values ('d', ${advisorId}, ${expired});
           insert into invitations values (${advisorId}, 'i', ${expired});
           insert into passkey_challenges values ('c', ${advisorId}, ${expired});
           insert into throttles values ('t', 1, ${expired});
           insert into sign_in_failures values ('f', ${advisorId}, 'password', '', null, 1, ${expired}, ${expired})`,
        ),
      left: ['sessions', 'devices', 'invitations', 'passkey_challenges', 'throttles', 'sign_in_failures']
        .map((table) => `(select count(*) from ${table})`)
        .reduce((sum, each) => `${sum} + ${each}`, 'select 0')
        .concat(' as left'),
    },
    'send due messages': {
      make: async () => {
        const deliveryDate = clock.now().getTime() + 3_600_000;
        const phone = await acceptedPhone(world, ann);
        const { status } = await send(ann, { phone, text: 'Hello', scheduleDelivery: true, deliveryDate });
        assert.equal(status, 200);
        await clock.advance(2 * 3_600_000);
      },
      left: rows('scheduled_messages', `status = 'scheduled'`),
    },
    'send to groups': {
      make: async () => {
        const { advisorId } = ann.advisor;
        const by = byAdvisor(advisorId, null);
        const groupId = await addGroup(ann);
        const contactId = await addContact(ann, { phone: await acceptedPhone(world, ann) });
        await putInGroups(ann, contactId, [groupId]);
        const written = { groupId, text: 'Hello {firstName}' };
        const { version } = await checkBroadcast(world.deps, advisorId, written, by);
        await startBroadcast(world.deps, advisorId, { ...written, version }, by);
        await putInGroups(ann, contactId, []);
      },
      left: rows('broadcasts', `status = 'sending'`),
    },
    'delete old events': {
      make: async () => {
        await setConsent(world, ann, newPhone(), 'accepted');
        await asOwner(`update events set recorded_at = now() - interval '31 days'`);
      },
      left: rows('events', `recorded_at < now() - interval '30 days'`),
    },
    'delete old changes': {
      make: async () => {
        await ann.call('POST', '/core/contact/contacts', { firstName: 'Pia', lastName: 'Plain' });
        await asOwner(`update contact_changes set recorded_at = now() - interval '31 days'`);
      },
      left: rows('contact_changes', `recorded_at < now() - interval '30 days'`),
    },
    'sign the archive': {
      make: async () => {},
      left: 'select (select sum(last_number) from archive_heads) - (select size from archive_tree) as left',
    },
    'index the archive': {
      make: async () => {},
      left: `select sum(h.last_number) - coalesce(sum(i.last_number), 0) as left
             from archive_heads h left join archive_indexed i using (advisor_id)`,
    },
    'make exports': {
      make: async () => {
        await asOwner(`insert into firms (name, date_time_created) values ('Exporting', now())`);
        await asOwner(
          `insert into staff (firm_id, name, email, role, date_time_created)
           select max(firm_id), 'Kim', 'kim@exports.example', 'compliance_officer', now() from firms`,
        );
        await asOwner(
          `insert into exports (firm_id, staff_id, of_advisor, period_from, period_to, format, date_time_created)
           select firm_id, staff_id, 0, now() - interval '1 day', now(), 'ndjson', now()
           from staff where email = 'kim@exports.example'`,
        );
      },
      left: rows('exports', `status <> 'ready'`),
    },
    'delete old exports': {
      make: () => asOwner(`update exports set date_time_created = now() - interval '2 days'`),
      left: rows('exports', `status = 'ready'`),
    },
    'deliver checkpoints': {
      make: async () => void (await growTree(deps)),
      left: 'select 1 - count(*) as left from archive_deliveries',
    },
    'delete old deliveries': {
      make: () =>
        asOwner(
          `insert into webhook_deliveries
             (webhook_id, url, event_id, type, body, signature, attempt, response, duration_ms, date_time)
           values (1, '', 'evt', 'x', '{}', '', 1, '', 1, now() - interval '8 days')`,
        ),
      left: rows('webhook_deliveries', `date_time < now() - interval '7 days'`),
    },
    'watch for alerts': {
      make: () =>
        asOwner(
          `insert into alert_states (about, says, node, told, date_time_begun)
           values ('carrier:gone', 'It is down.', 'gone/1', true, now())`,
        ),
      left: 'select count(*) as left from alert_states',
    },
    'run pending deletes': {
      make: () =>
        asOwner(
          `insert into pending_actions (advisor_id, action_id, kind, target_ids, due_at) values (${advisorId}, 1, 'delete_contacts', '{1}', now() - interval '1 second')`,
        ),
      left: `select count(*) as left from pending_actions where kind = 'delete_contacts'`,
    },
    'run pending decisions': {
      make: () =>
        asOwner(
          `insert into pending_actions (advisor_id, action_id, kind, target_ids, detail, due_at)
           values (${advisorId}, 2, 'decide_review', '{1}', '{}', now() - interval '1 second')`,
        ),
      left: `select count(*) as left from pending_actions where kind = 'decide_review' and due_at <= now()`,
    },
    'import contacts': {
      make: () =>
        asOwner(
          `insert into contact_imports (advisor_id, file_name, file, row_count, status)
           values (${advisorId}, 'a.csv', 'Name,Phone\nAda In,2125550123\n', 1, 'running')`,
        ),
      left: `select count(*) as left from contact_imports where status = 'running'`,
    },
    'delete old imports': {
      make: () =>
        asOwner(
          `insert into contact_imports (advisor_id, file_name, file, row_count, uploaded_at)
           values (${advisorId}, 'a.csv', '', 1, now() - interval '8 days')`,
        ),
      left: `select count(*) as left from contact_imports where uploaded_at < now() - interval '7 days'`,
    },
    'clear deleted groups': {
      make: async () => {
        const { body: group } = await ann.call('POST', '/core/contact/groups', { name: 'Clients' });
        const { body: contact } = await ann.call('POST', '/core/contact/contacts', {
          firstName: 'Uma',
          lastName: 'In',
        });
        const path = `/core/contact/contacts/${contact.id}/groups`;
        assert.equal((await ann.call('PUT', path, { groupIds: [group.id] })).status, 200);
        assert.equal((await ann.call('DELETE', `/core/contact/groups/${group.id}`)).status, 204);
      },
      left: 'select (select count(*) from deleted_groups) + (select count(*) from memberships) as left',
    },
    'shorten waits': {
      make: () => asOwner(`update archive_heads set next_slot = now() + interval '1 day'`),
      left: rows('archive_heads', `next_slot > now() + interval '1 minute'`),
    },
    'anchor the clock': {
      async make() {
        anchored = false;
      },
      left: () => (anchored ? 0 : 1),
    },
    'ask about texts in doubt': {
      make: async () => {
        const { body } = await send(ann, { phone: await acceptedPhone(world, ann), text: 'Hello' });
        await statusOf(ann, body.successes[0].messageId, 'in_doubt');
      },
      left: rows('messages', `status = 'in_doubt'`),
    },
    'archive texts without a receipt': {
      make: async () => {
        const { body } = await send(ann, { phone: newPhone(), text: 'Hello', whenConsented: true });
        await asOwner(
          `update messages
           set status = 'sent', attempt = 1, carrier_id = 1, carrier_message_id = 'sent', date_time_sent = $2
           where message_id = $1`,
          [body.successes[0].messageId, new Date(clock.now().getTime() - 2 * dayMs)],
        );
      },
      left: `select count(*) as left
        from messages t
        where status = 'sent'
          and not exists (select from archive_entries where kind = 'outcome' and message_id = t.message_id)`,
    },
    'write carrier status': {
      make: () => asOwner('delete from carrier_status'),
      left: noRow('carrier_status', 'true'),
    },
    'fetch media of replies': {
      make: () =>
        say(world, ann, newPhone(), '', { media: [{ url: 'https://media.example/1', contentType: 'image/png' }] }),
      left: rows('reply_media', 'media_number is null'),
    },
    'look up numbers': {
      make: () =>
        asOwner(
          `insert into number_lookups (phone, carrier_id, not_before) values ('+12125550101', 1, now() - interval '1 second')`,
        ),
      left: rows('number_lookups', 'not_before is not null'),
    },
    'delete old lookups': {
      make: () =>
        asOwner(
          `insert into number_lookups (phone, carrier_id, line_type, valid_until)
           values ('+12125550102', 1, 'mobile', ${expired})`,
        ),
      left: rows('number_lookups', 'valid_until < now()'),
    },
    'look up in CRMs': {
      make: async () => {
        await connectCrm(deps, advisorId, { url: 'https://crm.example', secret: 'x' }, { check: false });
        await asOwner(
          "insert into crm_lookups (advisor_id, phone, not_before) values ($1, $2, now() - interval '1 second')",
          [advisorId, newPhone()],
        );
      },
      left: rows('crm_lookups'),
    },
    'deliver webhooks': {
      make: async () => {
        await setWebhook(deps, clientId, 'https://partner.example/hooks');
        await setConsent(world, ann, newPhone(), 'accepted');
      },
      left: () => (pushed > 0 ? 0 : 1),
    },
    'remove lapsed webhooks': {
      make: async () => {
        const listener = await listen(deps, clientId, { url: 'http://localhost:3000/hook', types: null });
        await asOwner(`update webhooks set listened_until = now() where webhook_id = $1`, [listener.webhookId]);
      },
      left: rows('webhooks', 'listened_until is not null'),
    },
    'refresh carriers': follows,
    'refresh the sandbox clock': {
      make: async () => {
        newClock.offsetMs = clock.offsetMs() + 60_000;
        await asOwner('update sandbox_clock set offset_ms = $1', [newClock.offsetMs]);
      },
      left: () => newClock.offsetMs - clock.offsetMs(),
    },
    'write traffic': {
      make: async () => {
        await asOwner('delete from traffic');
        deps.signals.traffic.request(1, 'ok', 1);
      },
      left: noRow('traffic', 'true'),
    },
    'delete old traffic': {
      make: () =>
        asOwner(
          `insert into traffic (grain, date_time, kind, subject_id, outcome, amount, latencies)
           values ('minute', now() - interval '3 days', 'request', 1, 'ok', 1, '{}')`,
        ),
      left: rows('traffic', `grain = 'minute' and date_time < now() - interval '2 days'`),
    },
    heartbeat: { make: () => asOwner('delete from nodes'), left: noRow('nodes', 'true') },
    reconcile: {
      make: () => clock.advance(2 * dayMs),
      left: noRow('archive_entries', `kind = 'reconciliation'`),
    },
    'draw the daily sample': {
      make: async () => {
        await setSamplePercent(deps, firmId, 100);
        await send(ann, { phone: await acceptedPhone(world, ann), text: 'Hello' });
        await clock.advance(dayMs + 2 * 60_000);
      },
      left: noRow('reviews', `kind = 'sample'`),
    },
    'dispose of records': {
      make: async () => {
        await say(world, ann, newPhone(), 'Hello');
        await clock.advance(yearsMs(8));
        await passRealTime(database, deps, yearsMs(8));
      },
      left: rows('archive_entries join archive_bodies using (advisor_id, number)', `kind = 'text_in'`),
    },
    // Last, because it ends the tokens that the others need.
    'delete retired keys': {
      make: async () => {
        await rotateSigningKeys(deps);
        await asOwner(`update signing_keys set date_time_signs = date_time_signs - interval '1 day'`);
      },
      left: 'select count(*) - 1 as left from signing_keys',
    },
  };

  let woken = 0;
  const dueOfRequests: Record<string, Due> = {
    'wake waiting requests': {
      make: async () => {
        const phone = await acceptedPhone(world, ann);
        const { memberId } = await memberOf(world, ann, phone);
        for (const waiting of [
          deps.signals.consentChanged.wait({ advisorId, memberId }, 60_000),
          deps.signals.eventAdded.wait({ advisorId, after: 0 }, 60_000),
        ])
          waiting.then((isRaised) => {
            woken += isRaised ? 1 : 0;
          });
      },
      left: () => 2 - woken,
    },
    'refresh carriers': follows,
    'write carrier call counts': {
      make: () => asOwner('delete from carrier_status'),
      left: noRow('carrier_status', 'true'),
    },
    'report tampering': {
      make: async () => deps.signals.unprovenConsents.add({ advisorId, memberId: 1 }),
      left: () => (lines.some((line) => line.includes('is not what its last entry says')) ? 0 : 1),
    },
    'write traffic': due['write traffic'] as Due,
    heartbeat: due.heartbeat as Due,
    'anchor the clock': due['anchor the clock'] as Due,
    'refresh the sandbox clock': due['refresh the sandbox clock'] as Due,
  };

  test('is in this table', () => {
    assert.deepEqual(Object.keys(due).sort(), work.map(({ name }) => name).sort());
    assert.deepEqual(Object.keys(dueOfRequests).sort(), requests.map(({ name }) => name).sort());
  });

  async function leftOf({ left }: Due): Promise<number> {
    if (typeof left === 'function') return left();
    const [row] = await asOwner<{ left: string }>(left);
    return Number(row?.left ?? 0);
  }

  for (const [where, table, jobs] of [
    ['at work', due, work],
    ['where requests are answered', dueOfRequests, requests],
  ] as const)
    for (const [name, each] of Object.entries(table))
      test(`${where}: ${name}`, async () => {
        await each.make();
        assert.ok((await leftOf(each)) > 0, 'there is something to do');
        await jobs.find((job) => job.name === name)?.run();
        await webhooks.settled();
        assert.equal(await leftOf(each), 0, 'it is done');
      });
});
