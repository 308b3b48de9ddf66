import { FeedOf, FeedQuery } from '../shared/paging.ts';
import { Id, Instant } from '../shared/strings.ts';
import { Type } from '../shared/type.ts';
import { ContactDetail } from './contacts.ts';

const { examples: [contact] = [] } = ContactDetail as { examples?: unknown[] };

const ChangedContact = Type.Object(
  {
    contactId: Id(),
    change: Type.Unsafe<'created' | 'updated' | 'deleted'>({ type: 'string', enum: ['created', 'updated', 'deleted'] }),
    dateTime: Instant(),
    contact: Type.Optional(ContactDetail),
  },
  {
    title: 'Changed contact',
    description: 'With the contact as it is now; a deleted one is gone.',
    examples: [{ contactId: 52, change: 'created', dateTime: '2026-03-01T17:05:00.000Z', contact }],
  },
);

export const ContactChangesQuery = Type.Object(FeedQuery);

export const ContactChanges = FeedOf(ChangedContact, 'Contact changes');
