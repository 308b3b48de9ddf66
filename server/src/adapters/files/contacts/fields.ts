import type { LeftOut } from '../../../domain/ports.ts';
import { enumerations } from '../../../domain/shared/enumerations.ts';

/** A row or card of a file: the line it begins on and its fields, not yet validated. */
export type FileContact = {
  line: number;
  /** By the contract's names. */
  fields: Record<string, unknown>;
  /** Fields that can't be used. */
  leftOut: LeftOut[];
  /** The columns of further numbers, emails and addresses: a contact has one of each. */
  further: string[];
  groups: string[];
  /** A card for several people. */
  isGroup: boolean;
};

/** A row or card that can't be read. */
export type Unreadable = { line: number; unreadable: string };

/** What a value means; null if it means that there is none. */
export type FieldValue<Value> = { value: Value } | { why: string } | null;

/** In Google's files and ours, between values that share a cell. */
export const between = ' ::: ';

/** Google's own groups, which everybody is in: `* myContacts`. */
const systemGroup = /^\* |^myContacts$/;
const nothing = /^(-|n\/?a|none|unknown|unspecified|not specified|prefer not to say)$/i;
const synonyms = {
  gender: { m: 1, man: 1, f: 2, woman: 2, nonbinary: 3 } as Record<string, number>,
  maritalStatus: {
    'never married': 1,
    widow: 4,
    widower: 4,
    'domestic partner': 6,
    'domestic partnership': 6,
    partner: 6,
  } as Record<string, number>,
};
const notKnown = { gender: 'it is not a gender we know', maritalStatus: 'it is not a marital status we know' };

/** An enumeration's value, given by number or by word. */
export function readEnumeration(name: 'gender' | 'maritalStatus', text: string): FieldValue<number> {
  const word = text.toLowerCase();
  const [number] = Object.entries(enumerations[name]).find((entry) => entry.includes(word)) ?? [];
  const value = number === undefined ? synonyms[name][word] : Number(number);
  if (value !== undefined) return { value };
  return nothing.test(text) ? null : { why: notKnown[name] };
}

/** Groups as Google (` ::: `) and Outlook (`;`) write them. */
export function groupsIn({ column, text }: { column: string; text: string }): string[] {
  return text === '' ? [] : namedGroups(/^categories$/i.test(column) ? text.split(';') : splitValues(text));
}

export function namedGroups(names: string[]): string[] {
  return [...new Set(names.map((name) => name.trim()).filter((name) => name !== '' && !systemGroup.test(name)))];
}

export function splitValues(text: string): string[] {
  return text.includes(between) ? text.split(between).map((each) => each.trim()) : [text];
}

/** If there is only a full name, its last word is the last name. */
export function splitName(fullName: string): { firstName: string; lastName: string } {
  const words = fullName.split(/\s+/);
  return { firstName: words.slice(0, -1).join(' '), lastName: words.at(-1) ?? '' };
}

/** A street may have several lines, and a contact has two. Without a street the post office box is the address. */
export function splitStreet(texts: string[], box: string): { address1: string; address2: string } {
  const lines = texts.flatMap(linesOf).filter((each) => each !== '');
  if (lines.length === 0 && box !== '') return { address1: /box/i.test(box) ? box : `PO Box ${box}`, address2: '' };
  const [address1 = '', ...others] = lines;
  return { address1, address2: others.join(', ') };
}

function linesOf(text: string): string[] {
  return text.includes('\n') ? text.split('\n').map((each) => each.trim()) : [text];
}
