// Keeps a copy of the advisor's contacts, as a CRM would every night: all of them the first time, then only what changed.
// `node sdk/examples/reconcile.ts copy.json`
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import type { ContactDetail } from '@assent/client';
import { Assent } from '@assent/client';
import { sandbox } from './connect.ts';

const [file = 'copy.json'] = process.argv.slice(2);
// Client credentials are for texting; contacts need the advisor's consent. Here `assent token` stands in for it.
const token = process.env.ASSENT_TOKEN ?? '';
const assent = new Assent({ baseUrl: sandbox.baseUrl, apiKey: sandbox.apiKey, token });

type Copy = { cursor?: string; contacts: Record<number, ContactDetail> };
const copy: Copy = existsSync(file) ? JSON.parse(readFileSync(file, 'utf8')) : { contacts: {} };

const changes = assent.contacts.changes({ cursor: copy.cursor });
let count = 0;
for await (const { contactId, contact } of changes) {
  if (contact) copy.contacts[contactId] = contact;
  else delete copy.contacts[contactId];
  count += 1;
}
// Stored together: after a crash, changes come again, and none is missed.
writeFileSync(file, JSON.stringify({ ...copy, cursor: changes.cursor }));
console.log(`${count} changes, ${Object.keys(copy.contacts).length} contacts`);
