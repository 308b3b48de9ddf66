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

/** Sets a number's state without any history, whether or not it has a contact. */
export async function setConsent(
  { database }: World,
  { advisor }: Person,
  phone: string,
  state: 'none' | 'pending' | 'accepted' | 'opted_out',
): Promise<void> {
  await database.asOwner(
    `insert into members (advisor_id, phone, state, last_changed, date_time_created)
     values ($1, $2, $3, now(), now())
     on conflict (advisor_id, phone) do update
     set state = $3`,
    [advisor.advisorId, phone, state],
  );
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
