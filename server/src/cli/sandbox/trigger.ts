import { setTimeout as pause } from 'node:timers/promises';
import { disconnect, provision } from '../../domain/access/grants.ts';
import { allScopes } from '../../domain/access/scopes.ts';
import { issueToken } from '../../domain/access/tokens.ts';
import { byAdvisor } from '../../domain/archive/archive.ts';
import { problem } from '../../domain/problems.ts';
import type { SandboxAdvisor, SandboxFile } from '../../domain/sandbox/sandbox.ts';
import { testWebhook } from '../../domain/webhooks/deliveries.ts';
import { findWebhooks } from '../../domain/webhooks/webhooks.ts';
import type { Runtime } from '../../runtime.ts';
import { type Call, UsageError, type Verb } from '../verb.ts';
import { requireSandbox } from './running-sandbox.ts';

/** Pia Plain, who has accepted. */
const phone = '+15005550006';
const soonMs = 1_000;
const skippedMsMax = 30_000;
const lookMs = 250;

export const triggerVerbs: Verb[] = [
  {
    name: 'trigger',
    about: `In the sandbox, make something happen to ${phone} that an event of this type is about. Without a type, list them.`,
    operands: ['[TYPE]'],
    examples: ['trigger', 'trigger consent.changed'],
    run: runTrigger,
  },
];

/** What really happens, by the API and by the phone, as an application and a person would do it; returns what was done. */
type Trigger = { about: string; run(at: Sandbox): Promise<string> };

const triggers: Record<string, Trigger> = {
  'consent.changed': {
    about: `${phone} texts STOP, then START: opted out, and accepted again.`,
    async run({ reply }) {
      await reply('STOP');
      await reply('START');
      return `${phone} texted STOP, then START.`;
    },
  },
  'message.status': {
    about: `A text to ${phone} is sent, then delivered.`,
    async run({ send }) {
      const { messageId } = await send({ text: 'Hello from assent trigger.' });
      return `Message ${messageId} is on its way to ${phone}.`;
    },
  },
  'message.received': {
    about: `${phone} texts the advisor.`,
    async run({ reply }) {
      await reply('Hello from assent trigger.');
      return `${phone} texted the advisor.`;
    },
  },
  'scheduled_message.fired': {
    about: `A text to ${phone} that is scheduled becomes due.`,
    async run({ schedule }) {
      return `Scheduled message ${await schedule()} is due in a second.`;
    },
  },
  'scheduled_message.skipped': {
    about: `A scheduled text becomes due while ${phone} is opted out.`,
    async run({ schedule, reply, call }) {
      const id = await schedule();
      await reply('STOP');
      const until = Date.now() + skippedMsMax;
      const isSkipped = async () =>
        (await call('GET', `/text/messaging/scheduled-messages/${id}`)).status !== 'scheduled';
      while (Date.now() < until && !(await isSkipped())) await pause(lookMs);
      await reply('START');
      return `Scheduled message ${id} was due while ${phone} was opted out. They have accepted again.`;
    },
  },
  'contact.created': {
    about: 'A contact is created.',
    run: async (at) => `Contact ${await createContact(at)} was created.`,
  },
  'contact.updated': {
    about: `The contact of ${phone} is changed.`,
    async run({ call }) {
      const found = await call('GET', `/core/contact/contacts?phone=${encodeURIComponent(phone)}`);
      const id = found.data[0]?.contactId;
      if (id === undefined)
        throw problem('conflict', `No contact has ${phone}: assent trigger contact.created makes one.`);
      await call('PUT', `/core/contact/contacts/${id}`, { city: `Springfield, ${new Date().toISOString()}` });
      return `Contact ${id} moved to another city.`;
    },
  },
  'contact.deleted': {
    about: 'A contact is created and deleted.',
    async run(at) {
      const id = await createContact(at);
      await at.call('DELETE', `/core/contact/contacts/${id}`);
      return `Contact ${id} was deleted.`;
    },
  },
  'authorization.ended': {
    about: 'ellis@sandbox.example disconnects the application, which ends its tokens for them, and allows it again.',
    async run({ runtime, sandbox: { clientId, advisors } }) {
      const { id, name } = advisorIn(advisors, 'ellis@sandbox.example');
      await disconnect(runtime, clientId, id, byAdvisor(id, null));
      await provision(runtime, id, clientId);
      return `${name} disconnected the application. It may use client credentials for them again.`;
    },
  },
  'webhook.test': {
    about: 'A test reaches every endpoint of the application.',
    async run({ runtime, sandbox: { clientId } }) {
      const webhooks = await findWebhooks(runtime, { clientId });
      if (webhooks.length === 0) throw problem('conflict', 'The application has no webhook: assent listen adds one.');
      for (const webhook of webhooks) await testWebhook(runtime, webhook);
      return `A test was pushed to ${webhooks.map(({ url }) => url).join(', ')}.`;
    },
  },
};

async function runTrigger({ runtime, operands: { TYPE: type }, out }: Call): Promise<void> {
  if (type === undefined) return out.records(Object.entries(triggers).map(([type, { about }]) => ({ type, about })));
  const trigger = Object.hasOwn(triggers, type) ? triggers[type] : undefined;
  if (!trigger) throw new UsageError(`There is no event type "${type}". Types: ${Object.keys(triggers).join(', ')}.`);
  out.note(await trigger.run(await openSandbox(runtime, await requireSandbox(runtime))));
}

// biome-ignore lint/suspicious/noExplicitAny: each caller knows the answer's shape.
type Json = any;

type Sandbox = Awaited<ReturnType<typeof openSandbox>>;

async function openSandbox(runtime: Runtime, sandbox: SandboxFile) {
  const { clientId, advisors, apiKey, baseUrl } = sandbox;
  const { id: advisorId, textingNumber } = advisorIn(advisors, 'avery@sandbox.example');
  const token = await issueToken(runtime, { clientId, advisorId, scopes: allScopes });
  const headers = { 'x-api-key': apiKey, authorization: `Bearer ${token}` };
  const { origin } = new URL(baseUrl);

  async function ask(method: string, url: string, body?: object): Promise<Json> {
    const json = body && { body: JSON.stringify(body) };
    const type = body && { 'content-type': 'application/json' };
    const response = await fetch(url, { method, headers: { ...headers, ...type }, ...json });
    const text = await response.text();
    const result = text ? JSON.parse(text) : null;
    if (!response.ok)
      throw problem('conflict', `${method} ${new URL(url).pathname} answered ${response.status}: ${result?.detail}`);
    return result;
  }
  /** A call of the API for Avery. */
  const call = (method: string, path: string, body?: object) => ask(method, `${baseUrl}${path}`, body);

  async function send(message: object): Promise<{ messageId: number; scheduledMessageId: number }> {
    const { successes, failureDetails } = await call('POST', '/text/messaging/messages', { phone, ...message });
    if (successes.length === 0) throw problem('conflict', `${phone} can’t be texted: ${failureDetails[0]?.message}`);
    return successes[0];
  }
  /** The id of a text that is due soon. */
  async function schedule(): Promise<number> {
    const { now } = await ask('GET', `${origin}/sandbox/clock`);
    const when = { scheduleDelivery: true, deliveryDate: now + soonMs };
    return (await send({ text: 'Hello from assent trigger.', ...when })).scheduledMessageId;
  }
  async function reply(text: string): Promise<void> {
    await ask('POST', `${origin}/sandbox/handset/${phone}/replies`, { to: textingNumber, text });
  }
  return { runtime, sandbox, call, send, schedule, reply };
}

async function createContact({ call }: Sandbox): Promise<number> {
  return (await call('POST', '/core/contact/contacts', { firstName: 'Tim', lastName: 'Trigger', phone })).id;
}

function advisorIn(advisors: SandboxAdvisor[], email: string): SandboxAdvisor {
  const found = advisors.find((advisor) => advisor.email === email);
  if (!found) throw problem('conflict', `The sandbox has no advisor ${email}.`);
  return found;
}
