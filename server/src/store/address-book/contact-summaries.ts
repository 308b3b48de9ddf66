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

const columns: Record<keyof Omit<ContactSummaryRow, 'groupCount'>, string> = {
  contactId: 'c.contact_id',
  identifier: 'c.identifier',
  fullName: 'c.full_name',
  firstName: 'c.first_name',
  lastName: 'c.last_name',
  emailAddress: 'c.email_address',
  phone: 'c.phone',
  emailStatus: 'c.email_status',
  emailAddressDisposition: 'c.email_address_disposition',
  source: 'c.source',
  remoteContactId: 'c.remote_contact_id',
  remoteContactUrl: 'c.remote_contact_url',
  dateTimeCreated: 'c.date_time_created',
  dateTimeModified: 'c.date_time_modified',
  groupNames: `case when c.group_count = 0 then '{}' else array(
    select g.name
    from memberships m
    join groups g on g.advisor_id = m.advisor_id and g.group_id = m.group_id
    where m.advisor_id = c.advisor_id and m.contact_id = c.contact_id
    order by m.group_id
  ) end`,
};

export const summaryColumns = Object.entries(columns)
  .map(([name, column]) => `${column} as "${name}"`)
  .join(', ');

/** The same from a page that has them: without what it was sorted by, which the server would read for nothing. */
export const summariesOfPage = Object.keys(columns)
  .map((name) => `page."${name}"`)
  .join(', ');

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
