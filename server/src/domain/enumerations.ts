/** Every numbered value of the contract with its word, each in this one place. `GET /core/enumerations` serves the table. */
export const enumerations = {
  gender: { 0: 'Unknown', 1: 'Male', 2: 'Female', 3: 'Non-binary' },
  maritalStatus: {
    0: 'Unknown',
    1: 'Single',
    2: 'Married',
    3: 'Divorced',
    4: 'Widowed',
    5: 'Separated',
    6: 'Life partner',
  },
  source: {
    0: 'Manual',
    1: 'Import',
    2: 'API',
    3: 'Texting',
    4: 'Form',
    10: 'CardDAV',
    11: 'File',
    12: 'HTTPS lookup',
  },
  emailStatus: { 0: 'None', 1: 'Subscribed', 2: 'Unsubscribed', 3: 'Bounced', 4: 'Complained', 5: 'Disabled' },
  emailAddressDisposition: { 0: 'Unknown', 1: 'Deliverable', 2: 'SoftBounce', 3: 'HardBounce', 4: 'Invalid' },
  frequency: { 0: 'Once', 1: 'Daily', 2: 'Weekly', 3: 'Monthly', 4: 'Yearly' },
} as const;

export type EnumerationName = keyof typeof enumerations;
type Word<Name extends EnumerationName> = (typeof enumerations)[Name][keyof (typeof enumerations)[Name]] & string;

/** From here on a source is one of a CRM. */
export const crmSourceMin = 10;

export function values(name: EnumerationName): number[] {
  return Object.keys(enumerations[name]).map(Number);
}

export function word(name: EnumerationName, value: number): string {
  return (enumerations[name] as Record<number, string>)[value] ?? String(value);
}

export function numberOf<Name extends EnumerationName>(name: Name, wanted: Word<Name>): number {
  const found = Object.entries(enumerations[name]).find(([, each]) => each === wanted);
  return Number(found?.[0]);
}
