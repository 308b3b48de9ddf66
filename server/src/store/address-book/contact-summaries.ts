import { columnsIn, textsOf, writtenInstant } from '../database/connecting/column-values.ts';

export type ContactSort = keyof typeof sorts;
export type ContactPage = { sortBy: ContactSort; descending: boolean; offset: bigint; limit: number };

/** The key of contacts without an email: it comes after all others. */
export const noEmail = `U&'\\FFFF'`;
/** The contract's sort fields, each with its indexed column. */
export const sorts = {
  fullName: 'full_name',
  email: 'email_order',
  emailStatus: 'email_status',
  groupCount: 'group_count',
  source: 'source',
  dateTimeCreated: 'date_time_created',
  dateTimeModified: 'date_time_modified',
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

/** A contact as a search shows it. */
export type ContactSummaryRow = ReturnType<typeof summaryIn>;

export function summaryIn(contact: string) {
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
    // In RFC 3339, like the next: a page only shows them.
    dateTimeCreated: writtenInstant(set[12] as string),
    dateTimeModified: writtenInstant(set[13] as string),
    groupCount: groupNames.length,
    groupNames,
  };
}
