import { queryOptions } from '@tanstack/react-query';
import type { Handset } from '../../../server/src/domain/sandbox/handsets.ts';
import { now, setNow } from '../api/clock.ts';
import { CallFailed, clearBrowser, ownHeaders, post } from '../api/http.ts';
import { client, findByPhone } from '../api/queries.ts';
import { sessionQuery } from '../api/session.ts';
import type { ContactInput, Conversation, Json } from '../api/types.ts';
import { tell } from '../api/witnesses.ts';
import { wallTime } from '../words/schedules.ts';

/** The sandbox's own routes, called as anybody with the API key would: its phones, its clock and its reset. */
export const replyFrom = (phone: string, to: string, said: { text: string } | { media: string[] }) =>
  callSandbox<object>(`/sandbox/handset/${phone}/replies`, { to, ...said });

/** Answers once everything that became due has gone out. */
export async function moveClock(advanceMs: number): Promise<void> {
  const reading = await callSandbox<{ now: number }>('/sandbox/clock', { advanceMs });
  setNow(reading.now);
  await client.invalidateQueries();
}

/** Ends every session too. */
export async function resetSandbox(): Promise<void> {
  await callSandbox('/sandbox/reset');
  clearBrowser();
  location.assign('/demonstration');
}

async function callSandbox<Answer>(path: string, body?: object): Promise<Answer> {
  const { apiKey } = await getCredentials();
  const begun = performance.now();
  const headers = { 'x-api-key': apiKey, ...(body && { 'content-type': 'application/json' }) };
  const answer = await fetch(path, { method: 'POST', headers, body: body ? JSON.stringify(body) : null });
  const { ok, status } = answer;
  const result = status === 204 ? null : await answer.json().catch(() => ({}));
  tell({ call: { method: 'POST', path, body, status, answer: result, tookMs: performance.now() - begun } });
  if (!ok) throw new CallFailed(status, result);
  return result;
}

/** The API key, and an access token of fifteen minutes. They are never shown: only what is copied has them. */
export async function getCredentials(): Promise<{ apiKey: string; accessToken: string }> {
  const { advisor } = await client.ensureQueryData(sessionQuery);
  const answer = await fetch('/sandbox/credentials', {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...ownHeaders() },
    body: JSON.stringify({ advisorId: advisor.advisorId }),
  });
  if (!answer.ok) throw new CallFailed(answer.status, await answer.json().catch(() => ({})));
  return answer.json();
}

type Screen = Json<Handset>;
export type ScreenText = Screen['texts'][number];
const screenPollMs = 1_000;

/** What a phone shows. Events of the advisor don't tell of everything that arrives on it, so it is also asked. */
export const screenQuery = (phone: string) =>
  queryOptions({
    queryKey: ['screen', phone],
    queryFn: async ({ signal }): Promise<Screen> => {
      const answer = await fetch(`/handset/${phone}/screen`, { signal });
      if (!answer.ok) throw new CallFailed(answer.status, {});
      return answer.json();
    },
    refetchInterval: screenPollMs,
  });

export type CastMember = { phone: string; memberId: number; contactId: number | null; name: string | null };

/** Ana hasn't been asked yet; Pia has accepted, and Theo answers by himself. */
const anaPhone = '+15125550142';
const others = ['+15005550006', '+15005550008'];
const daysToBirthday = 9;
const dayMs = 24 * 60 * 60 * 1000;

/** Those whose phones are on the screen. Ana is added when she isn't there: the sandbox's own people all have a special behavior. */
export const castQuery = queryOptions({
  queryKey: ['cast'],
  queryFn: async (): Promise<CastMember[]> => {
    const known = await Promise.all([anaPhone, ...others].map(findByPhone));
    if (!known[0]?.contactId) known[0] = await addAna();
    return known.flatMap((each) => (each ? memberOf(each) : []));
  },
});

async function addAna(): Promise<Conversation | null> {
  const { timeZone } = (await client.ensureQueryData(sessionQuery)).advisor;
  const [, month, day] = wallTime(now() + daysToBirthday * dayMs, timeZone)
    .slice(0, 10)
    .split('-');
  const ana: ContactInput = {
    firstName: 'Ana',
    lastName: 'Ortiz',
    phone: anaPhone,
    birthDate: `1980-${month}-${day}`,
  };
  await post('/v1/core/contact/contacts', { body: ana });
  return findByPhone(anaPhone);
}

function memberOf({ phone, memberId, contactId, name }: Conversation): CastMember {
  return { phone, memberId, contactId, name };
}
