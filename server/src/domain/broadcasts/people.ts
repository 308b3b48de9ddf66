import { createHash } from 'node:crypto';
import type { Deps } from '../../deps.ts';
import type { GroupPerson } from '../../store/broadcasts/recipients.ts';
import * as store from '../../store/broadcasts/recipients.ts';
import { listPendingTargets } from '../../store/shared/pending-actions.ts';
import { problem } from '../problems.ts';
import { isBlank, textLengthMax } from '../shared/text/text-rules.ts';
import { inTurns } from '../shared/turns.ts';
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

/** Everybody in a group with their own text, some at a time. */
type GroupTexts = { groupName: string; pages(deps: Reading): AsyncGenerator<PersonalText[]> };
type Reading = Pick<Deps, 'db' | 'turn'>;

/** A text to more people than that is a campaign, which needs more than this. */
export const peopleMax = 10_000;
/** How many are read at once, and how many of their texts are in memory. */
const [readAtOnce, pageSize] = [1_000, 50];

/** Nobody who is being deleted is among them. */
export async function textsFor(deps: Deps, advisorId: number, groupId: number, text: string): Promise<GroupTexts> {
  const { db } = deps;
  const group = await store.findTextedGroup(db, advisorId, groupId, peopleMax + 1);
  if (group === null || (await listPendingTargets(db, advisorId, 'delete_group')).includes(groupId))
    throw problem('not_found', 'There is no such group on the advisor’s account.');
  if (group.people > peopleMax)
    throw problem(
      'conflict',
      `The group has more than ${peopleMax.toLocaleString('en-US')} people. Text smaller groups.`,
    );
  const leaving = new Set(await listPendingTargets(db, advisorId, 'delete_contacts'));
  return {
    groupName: group.name,
    async *pages(deps) {
      const textOf = personalTexts(text);
      for await (const people of peopleIn(deps, advisorId, groupId))
        yield people.flatMap((person) => (leaving.has(person.contactId) ? [] : textOf(person)));
    },
  };
}

async function* peopleIn(deps: Reading, advisorId: number, groupId: number): AsyncGenerator<GroupPerson[]> {
  for (let after: GroupPerson | null = null; ; ) {
    const people: GroupPerson[] = await store.listGroupPeople(deps.db, advisorId, groupId, {
      after,
      limit: readAtOnce,
    });
    yield* inTurns(deps.turn, people, pageSize);
    if (people.length < readAtOnce) return;
    after = people.at(-1) ?? null;
  }
}

/** A number that several people share gets one text: that of the first who can have it. */
function personalTexts(template: string): (person: GroupPerson) => PersonalText {
  const texted = new Set<string>();
  let place = 0;
  return (person) => {
    const { contactId, name, phone } = person;
    const { text, missing } = fillFields(template, person);
    const refused = refusalOf(phone, text, missing) ?? (texted.has(phone ?? '') ? 'same_number' : null);
    if (phone && !refused) texted.add(phone);
    // Nobody gets more than that, and somebody without a phone gets nothing.
    const kept = text.length > textLengthMax ? beginningOf(text) : text;
    place += 1;
    return { place, contactId, name, phone, text: kept, missing, refused };
  };
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

/** Of all texts, page by page: it changes with any of them. */
export function textsVersion() {
  const hash = createHash('sha256');
  return {
    add(texts: PersonalText[]) {
      for (const { contactId, phone, text, refused } of texts)
        hash.update(JSON.stringify([contactId, phone, text, refused]));
    },
    value: () => hash.digest('base64url'),
  };
}
