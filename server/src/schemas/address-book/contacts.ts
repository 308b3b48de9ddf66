import { contactSorts } from '../../domain/address-book/contacts.ts';
import { PageOf, PageQuery } from '../shared/paging.ts';
import {
  DateTime,
  Enumeration,
  emailLengthMax,
  Id,
  Instant,
  Name,
  nameLengthMax,
  OptionalDate,
  OptionalEmailAddress,
  OptionalEnumeration,
  OptionalPhone,
  OptionalText,
  Phone,
  stringLengthMax,
} from '../shared/strings.ts';
import { Type } from '../shared/type.ts';

const optionalFields = {
  emailAddress: OptionalEmailAddress({ examples: ['ann@example.org'] }),
  nickname: OptionalText(nameLengthMax, { examples: ['Annie'] }),
  birthDate: OptionalDate({ examples: ['1961-07-14'] }),
  phone: OptionalPhone({ description: 'In E.164.', examples: ['+12125550123'] }),
  clientAnniversary: OptionalDate({ examples: ['2019-03-01'] }),
  gender: OptionalEnumeration('gender'),
  maritalStatus: OptionalEnumeration('maritalStatus'),
  address1: OptionalText(stringLengthMax, { examples: ['1 Main Street'] }),
  address2: OptionalText(stringLengthMax, { examples: ['Apt 4'] }),
  city: OptionalText(stringLengthMax, { examples: ['Springfield'] }),
  state: OptionalText(stringLengthMax, { examples: ['IL'] }),
  postalCode: OptionalText(stringLengthMax, { examples: ['62701'] }),
};
const firstName = Name({ description: 'Trimmed.', examples: ['Ann'] });
const lastName = Name({ description: 'Trimmed.', examples: ['Smith'] });

/** The contact in the examples. */
const ann = {
  firstName: 'Ann',
  lastName: 'Smith',
  emailAddress: 'ann@example.org',
  nickname: 'Annie',
  birthDate: '1961-07-14',
  phone: '+12125550123',
  clientAnniversary: '2019-03-01',
  gender: 2,
  maritalStatus: 2,
  address1: '1 Main Street',
  address2: 'Apt 4',
  city: 'Springfield',
  state: 'IL',
  postalCode: '62701',
};

export const ContactInput = Type.Object(
  { firstName, lastName, ...optionalFields },
  { title: 'Contact input', examples: [ann] },
);

export const ContactChange = Type.Object(
  { firstName: Type.Optional(firstName), lastName: Type.Optional(lastName), ...optionalFields },
  {
    title: 'Contact change',
    description:
      'Replaces the fields that are given and keeps the others. `null` or `""` clears an optional field; `firstName` and `lastName` can’t be cleared.',
    examples: [{ city: 'Chicago', address2: null }],
  },
);

export const ContactParams = Type.Object({ contactId: Id({ description: 'The contact’s id.', examples: [1] }) });

export const IdResult = Type.Object({ id: Id() }, { title: 'Id result', examples: [{ id: 52 }] });

/** Unset strings are left out of responses, so those that are there have at least one character. */
const Text = (description?: string) => Type.Optional(Type.String({ minLength: 1, description }));
const source = Type.Integer({
  description: '0 Manual, 1 Import, 2 API, 3 Texting, 4 Form, 12 HTTPS lookup: a CRM; 10 and 11 are reserved',
});

export const ContactDetail = Type.Object(
  {
    contactId: Id(),
    identifier: Type.String({ format: 'uuid' }),
    remoteContactId: Text('The contact’s id in the advisor’s CRM, which a lookup there gave.'),
    source,
    sourceText: Type.String(),
    isCrmLinkedContact: Type.Boolean({ description: 'Whether a lookup in the advisor’s CRM filled it in.' }),
    emailAddress: Text(),
    phone: Text('In E.164.'),
    firstName: Text(),
    lastName: Text(),
    nickname: Text(),
    birthDate: Type.Optional(Type.String({ format: 'date' })),
    clientAnniversary: Type.Optional(Type.String({ format: 'date' })),
    dateTimeUnsubscribed: Type.Optional(Instant()),
    dateTimeCreated: Instant(),
    dateTimeModified: Instant(),
    gender: Enumeration('gender'),
    maritalStatus: Enumeration('maritalStatus'),
    emailStatus: Enumeration('emailStatus'),
    disableEmailStatus: Type.Boolean(),
    address1: Text(),
    address2: Text(),
    city: Text(),
    state: Text(),
    postalCode: Text(),
    groupIds: Type.Array(Id()),
    remoteContactUrl: Text('Its page there.'),
    customFields: Type.Array(
      Type.Object(
        {
          key: Type.String(),
          label: Type.String(),
          author: Type.String(),
          display: Type.String(),
          value: Type.String(),
        },
        { title: 'Custom field' },
      ),
    ),
  },
  {
    title: 'Contact detail',
    description: 'Unset fields are left out.',
    examples: [
      {
        ...ann,
        contactId: 52,
        identifier: '0b7e4c1e-8a4f-4d0a-9a51-5f3c6f0e2d11',
        source: 2,
        sourceText: 'API',
        isCrmLinkedContact: false,
        emailStatus: 0,
        disableEmailStatus: false,
        groupIds: [1],
        customFields: [],
        dateTimeCreated: '2026-03-01T17:05:00.000Z',
        dateTimeModified: '2026-03-01T17:05:00.000Z',
      },
    ],
  },
);

export const ContactSummary = Type.Object(
  {
    contactId: Id(),
    identifier: Type.String({ format: 'uuid' }),
    fullName: Type.String({ description: 'The phone number, for a contact that texting created.' }),
    firstName: Text(),
    lastName: Text(),
    email: Text(),
    phone: Text('In E.164.'),
    emailStatus: Type.String({ description: 'The word: `None`, `Subscribed` …' }),
    emailAddressDisposition: Enumeration('emailAddressDisposition'),
    status: Type.Unsafe<'Active' | 'Inactive'>({ type: 'string', enum: ['Active', 'Inactive'] }),
    source,
    sourceText: Type.String(),
    groupCount: Type.Integer(),
    groupNames: Type.Array(Type.String(), { description: 'In the order of the detail’s `groupIds`.' }),
    remoteContactId: Text(),
    remoteContactUrl: Text(),
    isCrmLinkedContact: Type.Boolean(),
    dateTimeCreated: DateTime(),
    dateTimeModified: DateTime(),
  },
  {
    title: 'Contact summary',
    description: 'Unset fields are left out.',
    examples: [
      {
        contactId: 1,
        identifier: '5d0f3c52-6c1b-4f0e-8f5e-2a8b1c7d9e40',
        fullName: 'Pia Plain',
        firstName: 'Pia',
        lastName: 'Plain',
        phone: '+15005550006',
        emailStatus: 'None',
        emailAddressDisposition: 0,
        status: 'Active',
        source: 0,
        sourceText: 'Manual',
        groupCount: 1,
        groupNames: ['Retirees'],
        isCrmLinkedContact: false,
        dateTimeCreated: '2026-03-01T17:05:00.000Z',
        dateTimeModified: '2026-03-01T17:05:00.000Z',
      },
    ],
  },
);

export const ContactQuery = PageQuery(contactSorts, {
  search: Type.Optional(
    Type.String({
      'x-free-text': true,
      maxLength: stringLengthMax,
      description:
        'Each word matches the beginning of a word in the name or email, or digits of the phone. Any case and accents.',
      examples: ['pia'],
    }),
  ),
  phone: Type.Optional(Phone({ description: 'In E.164, with the plus sign as `%2B`.', examples: ['+15005550006'] })),
  email: Type.Optional(
    Type.String({
      minLength: 1,
      maxLength: emailLengthMax,
      description: 'The whole address, in any case; a plus sign in it as `%2B`.',
    }),
  ),
  groupId: Type.Optional(Id({ description: 'Members of this group.' })),
  remoteContactId: Type.Optional(
    Type.String({ minLength: 1, maxLength: stringLengthMax, description: 'The contact’s id in the advisor’s CRM.' }),
  ),
  modifiedSince: Type.Optional(DateTime({ description: 'RFC 3339; inclusive.' })),
});

export const ContactPage = PageOf(ContactSummary, contactSorts, 'Page of contacts');

export const MembershipsInput = Type.Object(
  {
    groupIds: Type.Optional(
      Type.Array(Id(), {
        description: 'Required unless `isSelectAllGroup` is true. `[]` removes the contact from all groups.',
      }),
    ),
    isSelectAllGroup: Type.Optional(
      Type.Boolean({ description: 'Every group that exists now; `groupIds` is ignored.' }),
    ),
  },
  { title: 'Group memberships', 'x-ignored-when': { groupIds: 'isSelectAllGroup' }, examples: [{ groupIds: [1, 2] }] },
);
