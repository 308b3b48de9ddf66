import type { Db } from '../database/db.ts';
import { collectByShard } from '../database/distribution/by-shard.ts';
import { doubtEntries, outcomeColumns } from '../texting/text-outcomes.ts';
import type { MessageKey, Times } from './dispatches.ts';

/** Expired claims that one statement handles. */
export const expiredMax = 5;

/**
 * Ends expired claims: the node that held them is gone, and nobody knows whether the carrier took those of their texts that
 * have no outcome. These are in doubt from now on, with an entry. While an outcome is being written, its message is locked;
 * then the claim stays until the next time. Returns how many claims had expired.
 */
export async function expireClaims(db: Db, times: Times): Promise<number> {
  return (await db.isDistributed()) ? db.transaction((own) => expireByAdvisor(own, times)) : expireAtOnce(db, times);
}

const lostClaims = `
  select claim_id, carrier_id, date_time_started, advisor_ids, message_ids, attempts
  from claims
  where leased_until < $2
  order by leased_until
  limit ${expiredMax}
  for update skip locked`;

/** Spans advisors: a claim has texts of several. */
async function expireAtOnce(db: Db, { now, realNow }: Times): Promise<number> {
  const rows = await db.query(
    `with lost as materialized (${lostClaims}),
     text as materialized (
       select lost.claim_id, lost.carrier_id, lost.date_time_started, text.*
       from lost
       cross join lateral unnest(advisor_ids, message_ids, attempts) as text (advisor_id, message_id, attempt)
     ),
     ${doubtedTexts},
     removed as (
       delete from claims
       using lost
       where claims.claim_id = lost.claim_id
         and not exists (select from unanswered where unanswered.claim_id = lost.claim_id and not is_locked)
     )
     select
     from lost`,
    [now, realNow],
  );
  return rows.length;
}

/** The texts of claims: those without an outcome are in doubt from now on, unless one is being written. $1 is the time. */
const doubtedTexts = `
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
       set status = 'in_doubt', attempt = unanswered.attempt, carrier_id = unanswered.carrier_id
       from unanswered
       where is_locked
         and messages.advisor_id = unanswered.advisor_id
         and messages.message_id = unanswered.message_id
         and messages.status = 'queued'
         and messages.attempt = unanswered.attempt - 1
       returning ${outcomeColumns}, date_time_started
     ),
     ${doubtEntries({ code: 'lease_expired', actor: 'service', now: '$1' })}`;

type LostClaim = {
  claimId: number;
  carrierId: number;
  dateTimeStarted: Date;
  advisorIds: number[];
  messageIds: number[];
  attempts: number[];
};
type LostText = MessageKey & Pick<LostClaim, 'claimId' | 'carrierId' | 'dateTimeStarted'> & { attempt: number };

/** In a transaction: the claims are the deployment's, and their texts are on the nodes of their advisors. */
async function expireByAdvisor(db: Db, { now, realNow }: Times): Promise<number> {
  const lost = await db.query<LostClaim>(
    `select
       claim_id as "claimId", carrier_id as "carrierId", date_time_started as "dateTimeStarted",
       advisor_ids::float8[] as "advisorIds", message_ids::float8[] as "messageIds", attempts
     from (${lostClaims.replace('$2', '$1')}) as lost`,
    [realNow],
  );
  const texts = lost.flatMap(({ advisorIds, messageIds, attempts, ...claim }) =>
    advisorIds.map(
      (advisorId, at): LostText => ({
        ...claim,
        advisorId,
        messageId: messageIds[at] as number,
        attempt: attempts[at] as number,
      }),
    ),
  );
  const left = new Set(await doubtTexts(db, texts, now));
  const ended = lost.map(({ claimId }) => claimId).filter((claimId) => !left.has(claimId));
  await db.query('delete from claims where claim_id = any ($1)', [ended]);
  return lost.length;
}

/** Returns the claims of texts whose outcome is being written. */
async function doubtTexts(db: Db, texts: LostText[], now: Date): Promise<number[]> {
  const rows = await collectByShard(db, texts, (db, texts) =>
    db.query<{ claimId: number }>(
      `with text as materialized (
       select *
       from unnest($2::bigint[], $3::smallint[], $4::timestamptz[], $5::bigint[], $6::bigint[], $7::smallint[])
         as given (claim_id, carrier_id, date_time_started, advisor_id, message_id, attempt)
     ),
     ${doubtedTexts}
     select claim_id as "claimId"
     from unanswered
     where not is_locked`,
      [
        now,
        texts.map(({ claimId }) => claimId),
        texts.map(({ carrierId }) => carrierId),
        texts.map(({ dateTimeStarted }) => dateTimeStarted),
        texts.map(({ advisorId }) => advisorId),
        texts.map(({ messageId }) => messageId),
        texts.map(({ attempt }) => attempt),
      ],
    ),
  );
  return rows.map(({ claimId }) => claimId);
}
