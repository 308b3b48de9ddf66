import { plain } from '../text/csv.ts';

/** Which columns of a file mean what, by their numbers from 0. */
export type Columns = {
  /** For each of these fields its columns; the first one that has something counts. */
  single: Record<SingleName, number[]>;
  /** The best one to text comes first. */
  phones: Slot[];
  emails: Slot[];
  addresses: AddressColumns[];
  /** Columns that mean nothing to us. */
  unknown: number[];
};

/** A column with a value of which there may be several, and the column that says what kind it is, if there is one. */
export type Slot = { value: number; label: number | undefined };

/** An address's columns, each of which may be missing. */
export type AddressColumns = Partial<Record<AddressPart, number>>;
type AddressPart = 'street' | 'street2' | 'street3' | 'box' | 'city' | 'state' | 'postalCode';

/** The headings that programs give these fields, in lower case without punctuation. */
const singleHeadings = {
  firstName: ['firstname', 'givenname', 'first', 'forename'],
  lastName: ['lastname', 'familyname', 'surname', 'last'],
  fullName: ['name', 'fullname', 'displayname', 'contactname'],
  nickname: ['nickname'],
  birthDate: ['birthdate', 'birthday', 'dateofbirth', 'dob'],
  clientAnniversary: ['clientanniversary', 'clientsince'],
  gender: ['gender', 'sex'],
  maritalStatus: ['maritalstatus'],
  groups: ['groups', 'group', 'labels', 'groupmembership', 'categories', 'tags'],
} as const;
export type SingleName = keyof typeof singleHeadings;
const singleNames = Object.keys(singleHeadings) as SingleName[];

/** In the order in which they are used: a mobile phone can be texted. */
const phoneHeadings = [
  ...['mobilephone', 'mobile', 'mobilenumber', 'mobilephonenumber', 'cellphone', 'cell', 'cellphonenumber', 'cellular'],
  ...['phone', 'phonenumber', 'telephone', 'telephonenumber', 'primaryphone', 'phone1', 'phone2', 'phone3'],
  ...['homephone', 'homephone2', 'homephonenumber', 'otherphone', 'carphone'],
  ...['businessphone', 'businessphone2', 'workphone', 'workphonenumber', 'businessphonenumber'],
];
const emailHeadings = [
  ...['emailaddress', 'email', 'primaryemail', 'email1', 'email1address', 'homeemail', 'personalemail'],
  ...['email2address', 'email2', 'secondaryemail', 'workemail', 'businessemail', 'email3address', 'email3'],
];

/** In the order in which they are used. The first kind has no word of its own. */
const addressKinds = ['', 'home', 'mailing', 'business', 'work', 'other'];
const addressHeadings: Record<AddressPart, string[]> = {
  street: ['street', 'streetaddress', 'addressline1', 'address1', 'address'],
  street2: ['street2', 'addressline2', 'address2'],
  street3: ['street3', 'addressline3', 'address3'],
  box: ['pobox', 'addresspobox'],
  city: ['city', 'town'],
  state: ['state', 'province', 'region', 'stateprovince'],
  postalCode: ['postalcode', 'zip', 'zipcode', 'postcode', 'zippostalcode'],
};
/** As Google numbers them: `Address 1 - Street`, `Phone 2 - Value`. */
const numberedAddressParts: Record<string, AddressPart> = {
  street: 'street',
  extendedaddress: 'street2',
  pobox: 'box',
  city: 'city',
  region: 'state',
  postalcode: 'postalCode',
};
const numberedAddress = /^address(\d+)(street|extendedaddress|pobox|city|region|postalcode)$/;
const numberedValue = /^(phone|email)(\d+)value$/;
const numberedMax = 20;
/** What programs note about their own columns: nobody misses it. */
const ofPrograms = /^(priority|private|sensitivity|email\d?(type|displayname)|address\d+(type|label|formatted))$/;

/** What the headings mean. A heading that is there twice counts the first time. */
export function columnsOf(headings: string[]): Columns {
  const plainHeadings = headings.map(plain);
  const at = (heading: string) => {
    const index = plainHeadings.indexOf(heading);
    return index < 0 ? undefined : index;
  };
  const present = (names: readonly string[]) => names.flatMap((name) => at(name) ?? []);
  const single = Object.fromEntries(
    // Of several columns for a field the leftmost one is first.
    singleNames.map((name) => [name, present(singleHeadings[name]).sort((one, other) => one - other)]),
  ) as Columns['single'];
  const columns = {
    single,
    phones: [...numberedSlots(plainHeadings, 'phone'), ...present(phoneHeadings).map(toSlot)],
    emails: [...numberedSlots(plainHeadings, 'email'), ...present(emailHeadings).map(toSlot)],
    addresses: [...addressKinds.map((kind) => addressOf(kind, at)), ...numberedAddresses(plainHeadings)].filter(
      (address) => Object.keys(address).length > 0,
    ),
  };
  const known = new Set(allOf(columns));
  const isUnknown = (heading: string, index: number) => !known.has(index) && !ofPrograms.test(heading);
  return { ...columns, unknown: plainHeadings.flatMap((heading, index) => (isUnknown(heading, index) ? index : [])) };
}

function toSlot(value: number): Slot {
  return { value, label: undefined };
}

function numberedSlots(headings: string[], of: 'phone' | 'email'): Slot[] {
  return headings.flatMap((heading, value) => {
    const [, name, number] = numberedValue.exec(heading) ?? [];
    if (name !== of) return [];
    const label = headings.findIndex((each) => each === `${of}${number}label` || each === `${of}${number}type`);
    return { value, label: label < 0 ? undefined : label };
  });
}

function addressOf(kind: string, at: (heading: string) => number | undefined): AddressColumns {
  const parts = Object.entries(addressHeadings).flatMap(([part, names]) => {
    const [column] = names.flatMap((name) => at(`${kind}${name}`) ?? []);
    return column === undefined ? [] : [[part, column]];
  });
  return Object.fromEntries(parts);
}

function numberedAddresses(headings: string[]): AddressColumns[] {
  const addresses: AddressColumns[] = [];
  headings.forEach((heading, column) => {
    const [, number, name = ''] = numberedAddress.exec(heading) ?? [];
    const part = numberedAddressParts[name];
    if (!part || Number(number) > numberedMax) return;
    const address = addresses[Number(number)] ?? {};
    addresses[Number(number)] = { ...address, [part]: column };
  });
  return addresses.filter(Boolean);
}

function allOf({ single, phones, emails, addresses }: Omit<Columns, 'unknown'>): number[] {
  const slots = [...phones, ...emails].flatMap(({ value, label }) => [value, label ?? value]);
  return [...Object.values(single).flat(), ...slots, ...addresses.flatMap((address) => Object.values(address))];
}
