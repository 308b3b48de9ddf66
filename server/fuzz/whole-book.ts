import type { World } from '../test/support/world.ts';

const pageSize = 190;
const orders = {
  fullName: 'full_name',
  email: 'email_order',
  emailStatus: 'email_status',
  groupCount: 'group_count',
  source: 'source',
  dateTimeCreated: 'date_time_created',
};

/**
 * Checks that walking all pages still finds every contact once and in order after all the changes, and that the book counts
 * them. Returns what is wrong, if anything.
 */
export async function misplacedContact({ ann, database }: World): Promise<string | undefined> {
  for (const [sortBy, column] of Object.entries(orders))
    for (const direction of ['asc', 'desc']) {
      const expected = await database.asOwner<{ contact_id: string }>(
        `select contact_id
         from contacts
         where advisor_id = $1
         order by ${sortBy === 'email' ? 'email_address is null, ' : ''}${column} ${direction}, contact_id`,
        [ann.advisor.advisorId],
      );
      const walked: number[] = [];
      for (let page = 1; walked.length === (page - 1) * pageSize; page++) {
        const query = `page=${page}&pageSize=${pageSize}&sortBy=${sortBy}&sortDirection=${direction}`;
        const { body } = await ann.call('GET', `/core/contact/contacts?${query}`);
        if (body.pageInfo.totalRecord !== expected.length)
          return `The book has ${expected.length} contacts, and searches say ${body.pageInfo.totalRecord}.`;
        walked.push(...body.data.map(({ contactId }: { contactId: number }) => contactId));
      }
      const place = expected.findIndex((row, index) => Number(row.contact_id) !== walked[index]);
      if (place >= 0)
        return `By ${sortBy} ${direction}, ${walked[place]} is at ${place} instead of ${expected[place]?.contact_id}.`;
    }
  return undefined;
}
