import type { ContactRow } from './contacts.ts';

export type ContactSort = keyof typeof sorts;
export type ContactPage = { sortBy: ContactSort; descending: boolean; offset: bigint; limit: number };
export type Statement = { text: string; values: unknown[]; name?: string };

/** The contract's sort fields, each with its indexed column and its key in contact_blocks. */
export const sorts = {
  fullName: { column: 'full_name', low: 'low_text' },
  email: { column: 'email_order', low: 'low_text' },
  emailStatus: { column: 'email_status', low: 'low_text' },
  groupCount: { column: 'group_count', low: 'low_number' },
  source: { column: 'source', low: 'low_number' },
  dateTimeCreated: { column: 'date_time_created', low: 'low_time' },
  dateTimeModified: { column: 'date_time_modified', low: 'low_time' },
} as const;
export const contactSorts = Object.keys(sorts) as ContactSort[];

export const summaryColumns = `
  c.contact_id as "contactId", c.identifier, c.full_name as "fullName", c.first_name as "firstName",
  c.last_name as "lastName", c.email_address as "emailAddress", c.phone, c.email_status as "emailStatus",
  c.email_address_disposition as "emailAddressDisposition", c.source,
  c.remote_contact_id as "remoteContactId", c.remote_contact_url as "remoteContactUrl",
  c.date_time_created as "dateTimeCreated", c.date_time_modified as "dateTimeModified",
  case when c.group_count = 0 then '{}' else array(
    select g.name
    from memberships m
    join groups g on g.advisor_id = m.advisor_id and g.group_id = m.group_id
    where m.advisor_id = c.advisor_id and m.contact_id = c.contact_id
    order by m.group_id
  ) end as "groupNames"`;

/** Whether memberships of deleted groups are still counted in `group_count` and the blocks, at the moment of the page. */
export function isClearing(advisorId: string): string {
  return `exists (select from deleted_groups where advisor_id = ${advisorId}) as "isClearing"`;
}

/** A contact as a search shows it. */
export type ContactSummaryRow = Pick<
  ContactRow,
  | 'contactId'
  | 'identifier'
  | 'fullName'
  | 'firstName'
  | 'lastName'
  | 'emailAddress'
  | 'phone'
  | 'emailStatus'
  | 'emailAddressDisposition'
  | 'source'
  | 'remoteContactId'
  | 'remoteContactUrl'
  | 'dateTimeCreated'
  | 'dateTimeModified'
> & { groupCount: number; groupNames: string[] };
