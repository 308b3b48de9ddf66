// Keeps a copy of the advisor's contacts, as a CRM would every night: all of them the first time, then only what changed.
// `node sdk/examples/reconcile.ts copy.json`
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import type { ContactDetail } from '@assent/client';
import { Assent, AssentError } from '@assent/client';
import { sandbox } from './connect.ts';

const [file = 'copy.json'] = process.argv.slice(2);
// Client credentials are for texting; contacts need the advisor's consent. Here `assent token` stands in for it.
const token = process.env.ASSENT_TOKEN ?? '';
const assent = new Assent({ baseUrl: sandbox.baseUrl, apiKey: sandbox.apiKey, token });

type Copy = { cursor?: string | undefined; contacts: Record<number, ContactDetail> };
const stored: Copy = existsSync(file) ? JSON.parse(readFileSync(file, 'utf8')) : { contacts: {} };

const { copy, count } = await (stored.cursor ? takeChanges(stored).catch(unlessTooOld) : takeAll());
// Stored together: after a crash, changes come again, and none is missed.
writeFileSync(file, JSON.stringify(copy));
console.log(`${count} changes, ${Object.keys(copy.contacts).length} contacts`);

/** Changes go back 30 days, and what hasn't changed since then is only in the list. */
async function takeAll() {
  let { copy, count } = await takeChanges({ contacts: {} });
  for (let deletions = 1; deletions > 0; ) {
    for await (const { contactId } of assent.contacts.list({ sortBy: 'dateTimeCreated', pageSize: 200 })) {
      if (copy.contacts[contactId]) continue;
      const contact = await assent.contacts.get(contactId).catch(unlessDeleted);
      if (!contact) continue;
      copy.contacts[contactId] = contact;
      count += 1;
    }
    // A deletion meanwhile moved others to a page that was read already.
    ({ copy, deletions } = await takeChanges(copy));
  }
  return { copy, count };
}

async function takeChanges({ cursor, contacts }: Copy) {
  const changes = assent.contacts.changes({ cursor });
  let count = 0;
  let deletions = 0;
  for await (const { contactId, contact } of changes) {
    if (contact) contacts[contactId] = contact;
    else delete contacts[contactId];
    if (!contact) deletions += 1;
    count += 1;
  }
  return { copy: { cursor: changes.cursor, contacts }, count, deletions };
}

function unlessDeleted(error: unknown): null {
  if (error instanceof AssentError && error.code === 'not_found') return null;
  throw error;
}

/** The server refuses a cursor from more than 30 days ago: what was deleted since then can't be told. */
function unlessTooOld(error: unknown) {
  if (error instanceof AssentError && error.code === 'invalid_request') return takeAll();
  throw error;
}
