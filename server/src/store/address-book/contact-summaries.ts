import { columnsIn, textsOf, writtenInstant } from '../database/connecting/column-values.ts';
import type { ContactRow } from './contacts.ts';

export type ContactSort = keyof typeof sorts;
export type ContactPage = { sortBy: ContactSort; descending: boolean; offset: bigint; limit: number };
export type Statement = { text: string; values: unknown[]; name?: string };
export type Lookup = { text: string; key: unknown[]; name: string };

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

/** A contact `c` as a search shows it, in one value. */
export const summaryOfContact = `
  row(
    c.contact_id, c.identifier, c.full_name, c.first_name, c.last_name, c.email_address, c.phone, c.email_status,
    c.email_address_disposition, c.source, c.remote_contact_id, c.remote_contact_url, c.date_time_created,
    c.date_time_modified,
    case when c.group_count = 0 then '{}' else array(
      select g.name
      from memberships m
      cross join lateral (
        select name
        from groups
        where advisor_id = m.advisor_id and group_id = m.group_id
        -- A fence: otherwise all of an advisor's groups may be read for each membership.
        offset 0
      ) as g
      where m.advisor_id = c.advisor_id and m.contact_id = c.contact_id
      order by m.group_id
    ) end
  )::text as contact`;

export function summaryIn(contact: string): ContactSummaryRow {
  const columns = columnsIn(contact);
  // These are never null.
  const set = columns as string[];
  const groupNames = textsOf(set[14] as string);
  return {
    contactId: Number(set[0]),
    identifier: set[1] as string,
    fullName: set[2] as string,
    firstName: columns[3] ?? null,
    lastName: columns[4] ?? null,
    emailAddress: columns[5] ?? null,
    phone: columns[6] ?? null,
    emailStatus: set[7] as string,
    emailAddressDisposition: Number(set[8]),
    source: Number(set[9]),
    remoteContactId: columns[10] ?? null,
    remoteContactUrl: columns[11] ?? null,
    dateTimeCreated: writtenInstant(set[12] as string),
    dateTimeModified: writtenInstant(set[13] as string),
    groupCount: groupNames.length,
    groupNames,
  };
}

/** In the only sort where it matters: whether `group_count` and the blocks still count memberships of deleted groups. */
export function isClearing(sortBy: ContactSort, advisorId: string): string {
  if (sortBy !== 'groupCount') return '';
  return `exists (select from deleted_groups where advisor_id = ${advisorId}) as "isClearing",`;
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
> & {
  groupCount: number;
  groupNames: string[];
  /** In RFC 3339, like the next: a page only shows them. */
  dateTimeCreated: string;
  dateTimeModified: string;
};
