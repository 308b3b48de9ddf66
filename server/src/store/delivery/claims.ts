import { type ConsentState, lastConsentEntry, provenState } from '../consent/consents.ts';
import type { Db } from '../database/db.ts';
import type { TextKind } from '../texting/texts.ts';
import type { MessageKey, Times } from './dispatches.ts';

/**
 * A text whose turn it was. Only `go` may be submitted: its attempt is written and its row leased. `refused` lacks consent,
 * or its consent is not what the person's last consent entry says. `held` waits outside the outbox from now on, since a
 * reply of the person may mean stop, `closed` is outside the recipient's hours, `numberless` means that the advisor no
 * longer has a texting number, and `gone` that the message is no longer queued.
 */
export type ClaimedRow = MessageKey & {
  memberId: number;
  kind: TextKind;
  phone: string;
  textingNumber: string;
  text: string;
  attempt: number;
  state: ConsentState;
  decision: 'go' | 'expired' | 'refused' | 'held' | 'closed' | 'numberless' | 'gone';
};

export type Claim = Times & {
  limit: number;
  leasedUntil: Date;
  /** The gate's table of what may be sent, as `kind:consentRequired:state`. */
  allowed: string[];
  /** The kinds that are held while a reply of the person may mean stop. */
  heldKinds: readonly TextKind[];
};

/**
 * Claims the texts that are ready and decides on each, in one statement: the person's consent is read from the locked,
 * newest version of the member's row. `for share` waits for a STOP that is being written and then sees it, because a lock
 * re-reads its row; a STOP that comes later waits until the attempt is committed. So no attempt ever begins for a person
 * whose consent doesn't allow it at that instant, or whose texts are held. The state counts only if the last consent entry
 * says the same. Consent that changed while the statement waited is refused too, because its snapshot lacks the new entry:
 * then the gate decides in a statement of its own. Rows are looked up one by one (`lateral`), never by reading a whole
 * table, and members are locked in the order of their numbers, as everywhere, to avoid deadlocks.
 */
export async function claimDispatches(db: Db, claim: Claim): Promise<ClaimedRow[]> {
  return db.query<ClaimedRow>(
    `with picked as materialized (
       select advisor_id, message_id, not_before, open_until, expires_at
       from dispatches
       where leased_until is null and deferred_until is null and not_before <= $1
       order by not_before, message_id
       limit $2
       for update skip locked
     ),
     addressed as materialized (
       select picked.*, t.member_id, t.kind, t.status, t.archive_number, m.phone, a.texting_number, a.consent_required
       from picked
       cross join lateral (
         select member_id, kind, status, archive_number
         from messages
         where advisor_id = picked.advisor_id and message_id = picked.message_id
         limit 1
       ) as t
       cross join lateral (
         select phone
         from members
         where advisor_id = picked.advisor_id and member_id = t.member_id
         limit 1
       ) as m
       cross join lateral (
         select texting_number, consent_required
         from advisors
         where advisor_id = picked.advisor_id
         limit 1
       ) as a
       order by picked.advisor_id, m.phone
     ),
     decided as materialized (
       select addressed.*, m.state,
         case
           when status <> 'queued' then 'gone'
           when expires_at < $3 then 'expired'
           when (kind || ':' || consent_required::text || ':' || m.state) <> all ($5::text[]) then 'refused'
           when m.state is distinct from ${provenState} then 'refused'
           when m.held_since is not null and kind = any ($6::text[]) then 'held'
           when open_until <= $3 then 'closed'
           when texting_number is null then 'numberless'
           else 'go'
         end as decision
       from addressed
       cross join lateral (
         select advisor_id, member_id, phone, state, held_since
         from members
         where advisor_id = addressed.advisor_id and member_id = addressed.member_id
         for share
       ) as m
       ${lastConsentEntry}
     ),
     submitted as (
       update messages
       set status = 'submitting', attempt = messages.attempt + 1
       from decided
       where decision = 'go'
         and messages.advisor_id = decided.advisor_id
         and messages.message_id = decided.message_id
         and messages.status = 'queued'
       returning decided.*, messages.attempt
     ),
     kept as (
       update messages
       set status = 'held', held_reason = 'possible_opt_out'
       from decided
       where decision = 'held'
         and messages.advisor_id = decided.advisor_id
         and messages.message_id = decided.message_id
         and messages.status = 'queued'
     ),
     withdrawn as (
       delete from dispatches
       using decided
       where decision = 'held'
         and dispatches.advisor_id = decided.advisor_id
         and dispatches.message_id = decided.message_id
     ),
     begun as (
       insert into attempts (advisor_id, message_id, attempt, date_time_started)
       select advisor_id, message_id, attempt, $3
       from submitted
     ),
     leased as (
       update dispatches
       set leased_until = $4
       from submitted
       where dispatches.advisor_id = submitted.advisor_id and dispatches.message_id = submitted.message_id
     )
     select
       advisor_id as "advisorId", message_id as "messageId", member_id as "memberId", kind, phone,
       texting_number as "textingNumber", convert_from(body, 'UTF8') as text, attempt, state, decision
     from (
       select * from submitted
       union all
       select *, 0 from decided where decision <> 'go'
     ) as claimed
     cross join lateral (
       select body
       from archive_bodies
       where advisor_id = claimed.advisor_id and number = claimed.archive_number
       limit 1
     ) as b
     order by not_before, message_id`,
    [claim.realNow, claim.limit, claim.now, claim.leasedUntil, claim.allowed, claim.heldKinds],
    'claim-dispatches',
  );
}
