export const enumerations = {
  gender: { 0: 'unknown', 1: 'male', 2: 'female', 3: 'non-binary' },
  maritalStatus: {
    0: 'unknown',
    1: 'single',
    2: 'married',
    3: 'divorced',
    4: 'widowed',
    5: 'separated',
    6: 'life partner',
  },
  source: {
    0: 'Manual',
    1: 'Import',
    2: 'API',
    3: 'Texting',
    4: 'Form',
    // 10 and 11 are reserved.
    10: 'CardDAV',
    11: 'File',
    12: 'HTTPS lookup',
  },
  emailStatus: { 0: 'None', 1: 'Subscribed', 2: 'Unsubscribed', 3: 'Bounced', 4: 'Complained', 5: 'Disabled' },
  emailAddressDisposition: { 0: 'Unknown', 1: 'Deliverable', 2: 'SoftBounce', 3: 'HardBounce', 4: 'Invalid' },
  frequency: { 0: 'once', 1: 'daily', 2: 'weekly', 3: 'monthly', 4: 'yearly' },
} as const;

export type EnumerationName = keyof typeof enumerations;
type Word<Name extends EnumerationName> = (typeof enumerations)[Name][keyof (typeof enumerations)[Name]] & string;

/** Sources from this number on are CRMs. */
export const crmSourceMin = 10;

/** The table as `GET /core/enumerations` answers it. */
export function listEnumerations(): Record<string, { value: number; text: string }[]> {
  return Object.fromEntries(
    Object.entries(enumerations).map(([name, words]) => [
      name,
      Object.entries(words).map(([value, text]) => ({ value: Number(value), text })),
    ]),
  );
}

export function values(name: EnumerationName): number[] {
  return Object.keys(enumerations[name]).map(Number);
}

export function word(name: EnumerationName, value: number): string {
  return (enumerations[name] as Record<number, string>)[value] ?? String(value);
}

export function numberOf<Name extends EnumerationName>(
  name: Name,
  wanted: Word<Name>,
): keyof (typeof enumerations)[Name] {
  const found = Object.entries(enumerations[name]).find(([, each]) => each === wanted);
  return Number(found?.[0]) as keyof (typeof enumerations)[Name];
}
