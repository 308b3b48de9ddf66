import { type Deps, inTransaction } from '../../src/deps.ts';
import { byOperator } from '../../src/domain/archive/archive.ts';
import { moveConsent } from '../../src/domain/consent/consents.ts';
import type { ConsentState } from '../../src/store/consent/consents.ts';
import { insertMembers, lockMembers } from '../../src/store/members/members.ts';
import { until } from './waiting.ts';
import { type Answer, inject, type Person, type World } from './world.ts';

export const messagesPath = '/text/messaging/messages';
export const consentRequestsPath = '/text/messaging/consent-requests';
export const consentsPath = '/text/messaging/consents';
export const scheduledMessagesPath = '/text/messaging/scheduled-messages';

let phonesMade = 0;

/** A number that nobody has used yet. */
export function newPhone(): string {
  phonesMade += 1;
  return `+1212${String(5_550_000 + phonesMade)}`;
}

export function send(person: Person, body: object, headers?: Record<string, string>): Promise<Answer> {
  return person.call('POST', messagesPath, body, headers);
}

export function lookUp(person: Person, phone: string): Promise<Answer> {
  return person.call('GET', `${consentsPath}?phone=${encodeURIComponent(phone)}`);
}

/** Sets a number's state, with the entry that proves it, whether or not it has a contact. */
export async function setConsent(
  { deps }: { deps: Deps },
  { advisor: { advisorId } }: Pick<Person, 'advisor'>,
  phone: string,
  to: ConsentState,
): Promise<void> {
  await inTransaction(deps, async (deps) => {
    const act = { advisorId, by: byOperator, now: deps.clock.now() };
    await insertMembers(deps.db, [{ advisorId, phone }], act.now);
    const [member] = await lockMembers(deps.db, advisorId, [phone]);
    if (!member) throw new Error('A member that was just inserted is missing.');
    if (member.state !== to) await moveConsent(deps, act, { member, to, reason: 'sandbox', channel: 'sandbox' });
  });
}

/** A number whose owner has accepted. */
export async function acceptedPhone(world: World, person: Person): Promise<string> {
  const phone = newPhone();
  await setConsent(world, person, phone, 'accepted');
  return phone;
}

export type HandsetText = { from: string; to: string; text: string; dateTime: string };

/** The texts that a phone has received so far. */
export async function handset({ app, apiKey }: World, phone: string): Promise<HandsetText[]> {
  const url = `/sandbox/handset/${encodeURIComponent(phone)}/messages`;
  const answer = await inject(app, { method: 'GET', url, headers: { 'x-api-key': apiKey } });
  return answer.body.data;
}

/** The texts that a phone has received, once there are that many. */
export async function received(world: World, phone: string, count = 1): Promise<HandsetText[]> {
  await until(`${count} texts on the handset`, async () => (await handset(world, phone)).length >= count);
  return handset(world, phone);
}

export function reply({ app, apiKey }: World, phone: string, to: string, text: string): Promise<Answer> {
  const url = `/sandbox/handset/${encodeURIComponent(phone)}/replies`;
  return inject(app, { method: 'POST', url, headers: { 'x-api-key': apiKey }, payload: { to, text } });
}

/** The message, once its status is one of these. */
export async function statusOf(person: Person, messageId: number, ...wanted: string[]): Promise<Answer['body']> {
  const get = async () => (await person.call('GET', `${messagesPath}/${messageId}`)).body;
  await until(`message ${messageId} is ${wanted.join(' or ')}`, async () => wanted.includes((await get()).status));
  return get();
}
