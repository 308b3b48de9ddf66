import type { Deps } from '../../deps.ts';
import * as store from '../../store/address-book/people.ts';
import { requireFound } from '../problems.ts';
import { e164 } from '../shared/phone-numbers.ts';
import { searchWords } from '../shared/text/folding.ts';

/** Somebody as one of a firm's advisors knows them. */
export type Person = store.PersonRow;

const foundMax = 20;
const wordsMax = 4;

/** Whom the firm's advisors know by this name, number or id. */
export async function findPeople({ db }: Deps, firmId: number, text: string): Promise<Person[]> {
  const words = searchWords(text).slice(0, wordsMax);
  if (words.length === 0) return [];
  const memberId = /^\d{1,15}$/.test(text.trim()) ? Number(text) : null;
  const phone = e164.test(text.trim()) ? text.trim() : null;
  const exact =
    memberId === null && phone === null ? [] : await store.listPeopleBy(db, firmId, { memberId, phone }, foundMax);
  const named = await store.listPeopleByWords(db, firmId, words, foundMax);
  const isKnown = (person: Person) => exact.some(({ memberId }) => memberId === person.memberId);
  return [...exact, ...named.filter((person) => !isKnown(person))].slice(0, foundMax);
}

export async function getPerson(
  { db }: Deps,
  firmId: number,
  { advisorId, memberId }: { advisorId: number; memberId: number },
): Promise<Person> {
  return requireFound(await store.findPerson(db, advisorId, { firmId, memberId }), `There is no person ${memberId}.`);
}
