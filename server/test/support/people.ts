import { randomUUID } from 'node:crypto';
import { byOperator } from '../../src/domain/archive/archive.ts';
import { type ConsentRequestResult, requestConsent } from '../../src/domain/consent/consent-requests.ts';
import { receiveReply } from '../../src/domain/consent/replies.ts';
import type { IncomingReply } from '../../src/domain/ports.ts';
import { findMember, type MemberRow } from '../../src/store/members/members.ts';
import { bySandbox } from './carriers.ts';
import type { Person, World } from './world.ts';

/** Shared by the consent tests: people who are asked and who text, and the records of it. */

export function ask(world: World, { advisor }: Person, ...phones: string[]): Promise<ConsentRequestResult> {
  return requestConsent(world.deps, advisor.advisorId, phones, byOperator);
}

/** A person texts the advisor; by default now, with a new carrier message id. */
export async function say(
  world: World,
  { advisor }: Person,
  phone: string,
  text: string,
  more: Partial<IncomingReply> = {},
): Promise<void> {
  const to = advisor.textingNumber ?? '';
  const reply = { carrierMessageId: randomUUID(), from: phone, to, text, sentAt: world.clock.now(), ...more };
  await receiveReply(world.deps, bySandbox, reply);
}

export async function memberOf(world: World, { advisor }: Person, phone: string): Promise<MemberRow> {
  const member = await findMember(world.deps.db, advisor.advisorId, phone);
  if (!member) throw new Error(`Nobody knows ${phone}.`);
  return member;
}

export async function stateOf(world: World, person: Person, phone: string): Promise<string> {
  return (await memberOf(world, person, phone)).state;
}

export type OutboxText = { kind: string; text: string; expiresAt: Date | null };

/** The texts accepted for a phone, oldest first. */
export function outbox({ database }: World, { advisor }: Person, phone: string): Promise<OutboxText[]> {
  return database.asOwner<OutboxText>(
    `select t.kind, convert_from(b.body, 'UTF8') as text, d.expires_at as "expiresAt"
     from messages t
     join members m using (advisor_id, member_id)
     join archive_bodies b on b.advisor_id = t.advisor_id and b.number = t.archive_number
     left join dispatches d on d.advisor_id = t.advisor_id and d.message_id = t.message_id
     where t.advisor_id = $1 and phone = $2
     order by t.message_id`,
    [advisor.advisorId, phone],
  );
}

export async function kindsSent(world: World, person: Person, phone: string): Promise<string[]> {
  return (await outbox(world, person, phone)).map(({ kind }) => kind);
}

// biome-ignore lint/suspicious/noExplicitAny: each test knows its entries’ shape.
export type Entry = { number: number; actor: string; traceId: string | null; meta: any; body: string };

/** A phone's archive entries of one kind, oldest first. */
export async function entries({ database }: World, { advisor }: Person, phone: string, kind: string): Promise<Entry[]> {
  const rows = await database.asOwner<Entry>(
    `select number::integer as number, actor, trace_id as "traceId", meta, convert_from(b.body, 'UTF8') as body
     from archive_entries e
     join archive_bodies b using (advisor_id, number)
     join members m using (advisor_id, member_id)
     where advisor_id = $1 and phone = $2 and kind = $3
     order by number`,
    [advisor.advisorId, phone, kind],
  );
  return rows.map((row) => ({ ...row, meta: JSON.parse(row.meta) }));
}
