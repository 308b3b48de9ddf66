import { columnsIn, textsOf, writtenInstant } from '../database/connecting/column-values.ts';

export type ContactSort = keyof typeof sorts;
export type ContactPage = { sortBy: ContactSort; descending: boolean; offset: bigint; limit: number };
export type PageStatement = { text: string; values: unknown[]; name?: string };
export type Lookup = { text: string; key: unknown[]; name: string };

/** An import gives the contacts of a batch, of which there are fewer, the same times. */
const sharedTimeMax = 3_000;

/**
 * The contract's sort fields, each with its indexed column, and how many contacts share a key at most, as a rule. Null if there
 * are few keys, so that any number of contacts share one.
 */
export const sorts = {
  fullName: { column: 'full_name', sharedMax: 500 },
  email: { column: 'email_order', sharedMax: 500 },
  emailStatus: { column: 'email_status', sharedMax: null },
  groupCount: { column: 'group_count', sharedMax: null },
  source: { column: 'source', sharedMax: null },
  dateTimeCreated: { column: 'date_time_created', sharedMax: sharedTimeMax },
  dateTimeModified: { column: 'date_time_modified', sharedMax: sharedTimeMax },
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

/** In the only sort where it matters: whether `group_count` still counts memberships of deleted groups. */
export function isClearing(sortBy: ContactSort, advisorId: string): string {
  if (sortBy !== 'groupCount') return '';
  return `exists (select from deleted_groups where advisor_id = ${advisorId}) as "isClearing",`;
}
