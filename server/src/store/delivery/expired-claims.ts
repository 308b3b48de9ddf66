import { isoTime } from '../archive/archive-tree.ts';
import { columnsOf } from '../database/columns.ts';
import type { Db } from '../database/db.ts';
import { forAdvisors, forAllAdvisors, isDue } from '../database/for-advisors.ts';
import { doubtEntries, outcomeColumns } from '../texting/text-outcomes.ts';
import type { MessageKey, Times } from './dispatches.ts';

type LostText = MessageKey & { claimId: string; carrierId: number; dateTimeStarted: Date; attempt: number };

/** It may have been handed over then: that is where it stands in its thread. */
const begun = `',"begun":"' || ${isoTime('date_time_started')} || '"'`;

/** Expired claims that are handled at a time. */
export const expiredMax = 5;

/**
 * Ends expired claims: the node that held them is gone, and nobody knows whether the carrier took those of their texts that
 * have no outcome. These are in doubt from now on, with an entry. While an outcome is being written, its message is locked;
 * then the claim stays until the next time. Returns how many claims had expired.
 */
export async function expireClaims(db: Db, { now, realNow }: Times): Promise<number> {
  if (!(await hasLostClaims(db, realNow))) return 0;
  return db.transaction(async (db) => {
    const texts = await lockLostTexts(db, realNow);
    const claims = new Set(texts.map(({ claimId }) => claimId));
    const left = new Set(await doubtTexts(db, texts, now));
    await deleteClaims(db, [...claims.difference(left)]);
    return claims.size;
  });
}

/** Spans advisors: a claim has texts of several. */
async function hasLostClaims(db: Db, realNow: Date): Promise<boolean> {
  return isDue(db, ['select from claims where leased_until < $1 limit 1', [realNow], 'has-lost-claims']);
}

/** Spans advisors: a claim has texts of several. */
async function lockLostTexts(db: Db, realNow: Date): Promise<LostText[]> {
  return forAllAdvisors(db, (db) =>
    db.query<LostText>(
      `select
         claim_id as "claimId", carrier_id as "carrierId", date_time_started as "dateTimeStarted",
         text.advisor_id as "advisorId", text.message_id as "messageId", text.attempt
       from (
         select *
         from claims
         where leased_until < $1
         order by leased_until
         limit ${expiredMax}
         for update skip locked
       ) as lost
       cross join lateral unnest(advisor_ids, message_ids, attempts) as text (advisor_id, message_id, attempt)`,
      [realNow],
      'lock-lost-texts',
    ),
  );
}

/** Those without an outcome are in doubt from now on, unless one is being written. Returns the claims of these. */
async function doubtTexts(db: Db, texts: LostText[], now: Date): Promise<string[]> {
  const rows = await forAdvisors(db, texts, (db, texts) =>
    db.query<{ claimId: string }>(
      `with text as materialized (
       select *
       from unnest($2::uuid[], $3::smallint[], $4::timestamptz[], $5::bigint[], $6::bigint[], $7::smallint[])
         as given (claim_id, carrier_id, date_time_started, advisor_id, message_id, attempt)
     ),
     unanswered as materialized (
       select text.*, coalesce(locked.yes, false) as is_locked
       from text
       cross join lateral (
         select
         from messages
         where advisor_id = text.advisor_id
           and message_id = text.message_id
           and status = 'queued'
           and attempt = text.attempt - 1
         limit 1
       ) as t
       left join lateral (
         select true as yes
         from messages
         where advisor_id = text.advisor_id and message_id = text.message_id
         for no key update skip locked
       ) as locked on true
     ),
     doubted as (
       update messages
       set status = 'in_doubt', attempt = unanswered.attempt, carrier_id = unanswered.carrier_id,
         date_time_ended = date_time_started
       from unanswered
       where is_locked
         and messages.advisor_id = unanswered.advisor_id
         and messages.message_id = unanswered.message_id
         and messages.status = 'queued'
         and messages.attempt = unanswered.attempt - 1
       returning ${outcomeColumns}, date_time_started
     ),
     ${doubtEntries({ code: 'lease_expired', actor: 'service', now: '$1', facts: begun })}
     select claim_id as "claimId"
     from unanswered
     where not is_locked`,
      [now, ...columnsOf(texts, 'claimId', 'carrierId', 'dateTimeStarted', 'advisorId', 'messageId', 'attempt')],
    ),
  );
  return rows.map(({ claimId }) => claimId);
}

/** Spans advisors: a claim has texts of several. */
async function deleteClaims(db: Db, claimIds: string[]): Promise<void> {
  await forAllAdvisors(db, (db) => db.query('delete from claims where claim_id = any ($1::uuid[])', [claimIds]));
}
