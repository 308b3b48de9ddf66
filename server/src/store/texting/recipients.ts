import type { QuietHours } from '../accounts/advisors.ts';
import { type ConsentState, lastConsentEntry, provenState } from '../consent/consents.ts';
import { columnsOf } from '../database/columns.ts';
import type { Db } from '../database/db.ts';
import { forAdvisors } from '../database/for-advisors.ts';
import type { PhoneOf } from '../members/members.ts';
import type { LineType } from './number-lookups.ts';

/** An advisor's account, as far as a text depends on it. */
type Account = {
  firmId: number;
  firmName: string;
  firstTextLine: boolean | null;
  advisorName: string;
  textingNumber: string | null;
  timeZone: string;
  consentRequired: boolean;
  consentCollection: boolean;
  quietHours: QuietHours;
  textingPace: number | null;
  carrierId: number | null;
  disabled: boolean;
};

type NumberRow = Account & {
  advisorId: number;
  phone: string;
  hasContact: boolean;
  /** What the oldest contact with this number is called; null if it has no name. */
  name: string | null;
  /** The state of the oldest contact with this number. */
  contactState: string | null;
  /** What kind of line it is, if a carrier told lately; and whether one did or is about to. */
  lineType: LineType | null;
  isLookedUp: boolean;
};

/** A member, with everything that decides whether they can be texted now. */
export type Recipient = NumberRow & {
  memberId: number;
  state: ConsentState;
  /** The state that the member's last consent entry proves; null if that entry is about another number. */
  provenState: ConsentState | null;
  /** Set while every text to them is held, since they replied something that may mean stop. */
  heldSince: Date | null;
  /** When the last consent request was accepted. */
  requestedAt: Date | null;
  lastReplyAt: Date | null;
  firstTextedAt: Date | null;
};

/** A number that the advisor doesn't know yet. */
export type UnknownNumber = NumberRow & {
  memberId: null;
  state: null;
  provenState: null;
  heldSince: null;
  requestedAt: null;
  lastReplyAt: null;
  firstTextedAt: null;
};

/** A row per number, in the same order; none for an advisor that doesn't exist. */
export async function listRecipients(db: Db, numbers: PhoneOf[]): Promise<(Recipient | UnknownNumber)[]> {
  return forAdvisors(db, numbers, (db, numbers) =>
    db.query<Recipient | UnknownNumber>(
      `select
       given.advisor_id as "advisorId", given.phone, m.member_id as "memberId", m.state,
       case when m.member_id is not null then ${provenState} end as "provenState", m.held_since as "heldSince",
       m.requested_at as "requestedAt", m.last_reply_at as "lastReplyAt", m.first_texted_at as "firstTextedAt",
       c.contact_id is not null as "hasContact", nullif(c.full_name, given.phone) as name, c.state as "contactState",
       a.firm_id as "firmId", f.name as "firmName", f.first_text_line as "firstTextLine", a.name as "advisorName",
       a.texting_number as "textingNumber", a.time_zone as "timeZone", a.consent_required as "consentRequired",
       a.consent_collection as "consentCollection", a.quiet_hours as "quietHours", a.texting_pace as "textingPace",
       a.carrier_id::integer as "carrierId", a.disabled, l.line_type as "lineType", l.phone is not null as "isLookedUp"
     from unnest($1::bigint[], $2::text[]) with ordinality as given (advisor_id, phone, position)
     join advisors a on a.advisor_id = given.advisor_id
     join firms f using (firm_id)
     left join members m on m.advisor_id = given.advisor_id and m.phone = given.phone
     ${lastConsentEntry}
     left join lateral (
       select contact_id, full_name, state
       from contacts
       where advisor_id = given.advisor_id and phone = given.phone
       order by contact_id
       limit 1
     ) as c on true
     left join lateral (
       select phone, case when valid_until > now() then line_type end as line_type
       from number_lookups
       where phone = given.phone and (valid_until > now() or not_before is not null)
       limit 1
     ) as l on true
     order by position`,
      columnsOf(numbers, 'advisorId', 'phone'),
      'list-recipients',
    ),
  );
}
