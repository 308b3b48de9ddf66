import { type ConsentState, lastConsentEntry, provenState } from '../consent/consents.ts';
import { columnsOf } from '../database/columns.ts';
import type { Db, Due, DueRows } from '../database/db.ts';
import { forAdvisors, forAllAdvisors, takeDue } from '../database/for-advisors.ts';
import type { TextKind } from '../texting/texts.ts';
import { isOver, type MessageKey, type Times } from './dispatches.ts';

/**
 * A text whose turn it was. Only `go` may be submitted: it is out of the outbox, and the claim lists its attempt. `altered` has
 * another recipient, kind or body than its entry, so nothing in its row is to be believed, and some of it may be null. `refused` lacks consent, or its advisor's account is disabled, or its consent is not what the person's last consent entry says. `held` waits outside the outbox from now
 * on, since a reply of the person may mean stop, `closed` is outside the recipient's hours, `numberless` means that the
 * advisor no longer has a texting number with a carrier, `moved` that the number has another carrier, which has the text from
 * now on, and `gone` that the message is no longer queued.
 */
export type ClaimedRow = MessageKey & {
  /** Null if no text goes. */
  claimId: string | null;
  memberId: number;
  archiveNumber: number;
  kind: TextKind;
  phone: string;
  /** Neither is null for a text that goes. */
  textingNumber: string;
  text: string;
  attempt: number;
  state: ConsentState;
  openUntil: Date | null;
  expiresAt: Date | null;
  /** When its turn came, in real time. */
  notBefore: Date;
  /** Attempts so far that count. */
  tries: number;
  decision: 'go' | 'altered' | 'expired' | 'refused' | 'held' | 'closed' | 'numberless' | 'moved' | 'gone';
};

type ClaimConditions = Times & {
  carrierId: number;
  limit: number;
  leasedUntil: Date;
  /** The gate's table of what may be sent, as `kind:consentRequired:state`. */
  allowed: string[];
  /** The kinds that are held while a reply of the person may mean stop. */
  heldKinds: readonly TextKind[];
  /** The kinds that go out although the account is disabled. */
  owedKinds: readonly TextKind[];
};

/**
 * Whether a text's row, its member's number and the body are those of the entry that it was accepted with, whose commitment is signed.
 * What `JSON.stringify` wrote is looked for as it stands: parsing it for each text would cost more than all of this.
 */
const isAsEntered = `
  e.kind = 'text_out'
    and (e.message_id, e.member_id) = (picked.message_id, t.member_id)
    and starts_with(e.meta, '{"kind":"' || t.kind || '","from":')
    and strpos(e.meta, ',"to":"' || m.phone || '"') > 0
    and e.commitment = sha256(b.salt || b.body)`;

/**
 * Claims the texts that are ready and decides on each, in one statement: the person's consent is read from the locked,
 * newest version of the member's row. `for share` waits for a STOP that is being written and then sees it, because a lock
 * re-reads its row; a STOP that comes later waits until the claim is committed. So no attempt ever begins for a person
 * whose consent doesn't allow it at that instant, or whose texts are held. The state counts only if the last consent entry
 * says the same. Consent that changed while the statement waited is refused too, because its snapshot lacks the new entry:
 * then the gate decides in a statement of its own. Rows are looked up one by one (`lateral`), never by reading a whole
 * table, and members are locked in the order of their numbers, as everywhere, to avoid deadlocks.
 *
 * Deleting a text's row in the outbox is what claims it: whoever does that owns the text. So its message needs no lock: a
 * message changes only with its row in the outbox, or after it is gone. Rows that change are found by lists of ids: a plan
 * that was made while a table was empty would join the other way around, and read all of the table for each text.
 */
export async function claimDispatches(db: Db, claim: ClaimConditions): Promise<DueRows<ClaimedRow>> {
  const due: Due = [
    'select from dispatches where carrier_id = $1::smallint and deferred_until is null and not_before <= $2 limit 1',
    [claim.carrierId, claim.realNow],
    'has-ready',
  ];
  return takeDue(db, due, (db) => claimReady(db, claim));
}

/** Spans advisors: a carrier sends everyone's texts. */
function claimReady(db: Db, claim: ClaimConditions): Promise<ClaimedRow[]> {
  return db.query<ClaimedRow>(
    `with picked as materialized (
       select advisor_id, message_id, not_before, open_until, expires_at, tries
       from dispatches
       where carrier_id = $7::smallint and deferred_until is null and not_before <= $1
       order by not_before, message_id
       limit $2
       for update skip locked
     ),
     addressed as materialized (
       select picked.*, t.member_id, t.kind, t.status, t.attempt, t.archive_number, m.phone, a.texting_number,
         a.carrier_id, a.consent_required, a.disabled, b.body, coalesce(${isAsEntered}, false) as is_as_entered
       from picked
       -- Left joins: a row that somebody has removed must not leave its text in the outbox forever.
       left join lateral (
         select member_id, kind, status, attempt, archive_number
         from messages
         where advisor_id = picked.advisor_id and message_id = picked.message_id
         limit 1
       ) as t on true
       left join lateral (
         select phone
         from members
         where advisor_id = picked.advisor_id and member_id = t.member_id
         limit 1
       ) as m on true
       left join lateral (
         select kind, message_id, member_id, meta, commitment
         from archive_entries
         where advisor_id = picked.advisor_id and number = t.archive_number
         limit 1
       ) as e on true
       left join lateral (
         select salt, body
         from archive_bodies
         where advisor_id = picked.advisor_id and number = t.archive_number
         limit 1
       ) as b on true
       cross join lateral (
         select texting_number, carrier_id, consent_required, disabled
         from advisors
         where advisor_id = picked.advisor_id
         limit 1
       ) as a
       order by picked.advisor_id, m.phone
     ),
     decided as materialized (
       select addressed.*, m.state,
         case
           when status is distinct from 'queued' then 'gone'
           when not is_as_entered then 'altered'
           when ${isOver({ now: '$3', realNow: '$1' })} then 'expired'
           when disabled and kind <> all ($8::text[]) then 'refused'
           when (kind || ':' || consent_required::text || ':' || m.state) <> all ($5::text[]) then 'refused'
           when m.state is distinct from ${provenState} then 'refused'
           when m.held_since is not null and kind = any ($6::text[]) then 'held'
           when open_until <= $3 then 'closed'
           when texting_number is null or carrier_id is null then 'numberless'
           when carrier_id <> $7 then 'moved'
           else 'go'
         end as decision
       from addressed
       left join lateral (
         select advisor_id, member_id, phone, state, held_since
         from members
         where advisor_id = addressed.advisor_id and member_id = addressed.member_id
         for share
       ) as m on true
       ${lastConsentEntry}
     ),
     taken as (
       delete from dispatches
       where message_id = any (array(select message_id from decided where decision in ('go', 'held')))
     ),
     passed as (
       update dispatches
       set carrier_id = decided.carrier_id
       from decided
       where decision = 'moved'
         and dispatches.message_id = any (array(select message_id from decided where decision = 'moved'))
         and dispatches.message_id = decided.message_id
     ),
     kept as (
       update messages
       set status = 'held', held_reason = 'possible_opt_out', waited_for = coalesce(waited_for, 'decision')
       where advisor_id = any (array(select advisor_id from decided where decision = 'held'))
         and message_id = any (array(select message_id from decided where decision = 'held'))
     ),
     begun as materialized (
       insert into claims (advisor_id, carrier_id, date_time_started, leased_until, advisor_ids, message_ids, attempts)
       select
         min(advisor_id), $7, $3, $4, array_agg(advisor_id), array_agg(message_id), array_agg((attempt + 1)::smallint)
       from decided
       where decision = 'go'
       having count(*) > 0
       returning claim_id
     )
     select
       advisor_id as "advisorId", message_id as "messageId", (select claim_id from begun) as "claimId",
       member_id as "memberId", archive_number as "archiveNumber", kind, phone, texting_number as "textingNumber", case when decision = 'go' then convert_from(body, 'UTF8') end as text,
       attempt + 1 as attempt, state, open_until as "openUntil", expires_at as "expiresAt",
       not_before as "notBefore", tries, decision
     from decided
     order by not_before, message_id`,
    [
      claim.realNow,
      claim.limit,
      claim.now,
      claim.leasedUntil,
      claim.allowed,
      claim.heldKinds,
      claim.carrierId,
      claim.owedKinds,
    ],
    'claim-dispatches',
  );
}

/** Spans advisors: a claim has texts of several. */
export async function updateLease(db: Db, claimId: string, leasedUntil: Date): Promise<void> {
  await forAllAdvisors(db, (db) =>
    db.query('update claims set leased_until = $2 where claim_id = $1', [claimId, leasedUntil], 'update-lease'),
  );
}

/** Whether texts of these kinds to these members are claimed and have no outcome yet, on whatever node. */
export async function hasClaimedTexts(
  db: Db,
  members: { advisorId: number; memberId: number }[],
  kinds: readonly TextKind[],
): Promise<boolean> {
  const claimed = await listClaimed(
    db,
    members.map(({ advisorId }) => advisorId),
  );
  if (claimed.length === 0) return false;
  const memberIds = members.map(({ memberId }) => memberId);
  const texts = await forAdvisors(db, claimed, (db, claimed) =>
    db.query(
      `select
       from unnest($1::bigint[], $2::bigint[], $3::smallint[]) as c (advisor_id, message_id, attempt)
       cross join lateral (
         select member_id, kind, status, attempt
         from messages
         where advisor_id = c.advisor_id and message_id = c.message_id
         limit 1
       ) as t
       where t.status = 'queued' and t.attempt = c.attempt - 1 and t.member_id = any ($4) and t.kind = any ($5)
       limit 1`,
      [...columnsOf(claimed, 'advisorId', 'messageId', 'attempt'), memberIds, kinds],
      'find-claimed-texts',
    ),
  );
  return texts.length > 0;
}

/** Spans advisors: a claim has texts of several. */
async function listClaimed(db: Db, advisorIds: number[]): Promise<(MessageKey & { attempt: number })[]> {
  return forAllAdvisors(db, (db) =>
    db.query(
      `select t.advisor_id as "advisorId", t.message_id as "messageId", t.attempt
       from claims
       cross join lateral unnest(advisor_ids, message_ids, attempts) as t (advisor_id, message_id, attempt)
       where t.advisor_id = any ($1)`,
      [advisorIds],
      'list-claimed',
    ),
  );
}
