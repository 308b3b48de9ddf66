import { createHash } from 'node:crypto';
import { setImmediate as turn } from 'node:timers/promises';
import type { Deps } from '../../deps.ts';
import type { GroupPerson } from '../../store/broadcasts/recipients.ts';
import * as store from '../../store/broadcasts/recipients.ts';
import { listPendingTargets } from '../../store/shared/pending-actions.ts';
import { problem } from '../problems.ts';
import { isBlank, textLengthMax } from '../shared/text/text-rules.ts';
import { type FieldName, fillFields } from '../texting/fields.ts';

/** Why somebody in the group gets no text, whatever the gate would say. */
export type OwnCode = (typeof ownCodes)[number];
const ownCodes = ['no_phone', 'same_number', 'missing_field', 'too_long'] as const;

export type PersonalText = Pick<GroupPerson, 'contactId' | 'name' | 'phone'> & {
  /** From 1, in the order of names. */
  place: number;
  text: string;
  missing: FieldName[];
  refused: OwnCode | null;
};

/** Everybody in a group with their own text. `version` changes with any of it. */
type GroupTexts = { groupName: string; texts: PersonalText[]; version: string };

/** A text to more people than that is a campaign, which needs more than this. */
export const peopleMax = 10_000;
/** How many texts are made before others have their turn. */
const atOnce = 500;

/** Nobody who is being deleted is among them. */
export async function textsFor(deps: Deps, advisorId: number, groupId: number, text: string): Promise<GroupTexts> {
  const { db } = deps;
  const groupName = await store.findGroupName(db, advisorId, groupId);
  if (groupName === null || (await listPendingTargets(db, advisorId, 'delete_group')).includes(groupId))
    throw problem('not_found', 'There is no such group on the advisor’s account.');
  const leaving = new Set(await listPendingTargets(db, advisorId, 'delete_contacts'));
  const members = await store.listGroupPeople(db, advisorId, groupId, peopleMax + 1);
  const people = members.filter(({ contactId }) => !leaving.has(contactId));
  if (members.length > peopleMax)
    throw problem(
      'conflict',
      `The group has more than ${peopleMax.toLocaleString('en-US')} people. Text smaller groups.`,
    );
  const texts = await personalTexts(text, people);
  return { groupName, texts, version: versionOf(texts) };
}

/** A number that several people share gets one text: that of the first who can have it. */
async function personalTexts(template: string, people: GroupPerson[]): Promise<PersonalText[]> {
  const texted = new Set<string>();
  const texts: PersonalText[] = [];
  for (const person of people) {
    if (texts.length % atOnce === 0) await turn();
    const { contactId, name, phone } = person;
    const { text, missing } = fillFields(template, person);
    const refused = refusalOf(phone, text, missing) ?? (texted.has(phone ?? '') ? 'same_number' : null);
    if (phone && !refused) texted.add(phone);
    // Nobody gets more than that, and somebody without a phone gets nothing.
    const kept = text.length > textLengthMax ? beginningOf(text) : text;
    texts.push({ place: texts.length + 1, contactId, name, phone, text: kept, missing, refused });
  }
  return texts;
}

function refusalOf(phone: string | null, text: string, missing: FieldName[]): OwnCode | null {
  if (!phone) return 'no_phone';
  if (missing.length > 0 || isBlank(text)) return 'missing_field';
  // With a field in every third place, a text of 1,600 characters can become one of 30,000.
  return text.length > 2 * textLengthMax || [...text].length > textLengthMax ? 'too_long' : null;
}

/** A copy: a slice would keep the whole text in memory, and those of a large group are half a gigabyte. */
function beginningOf(text: string): string {
  return [...text.slice(0, 2 * textLengthMax)].slice(0, textLengthMax).join('');
}

function versionOf(texts: PersonalText[]): string {
  const hash = createHash('sha256');
  for (const { contactId, phone, text, refused } of texts)
    hash.update(JSON.stringify([contactId, phone, text, refused]));
  return hash.digest('base64url');
}
