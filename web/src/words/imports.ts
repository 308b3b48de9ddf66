import type { ImportPreview } from '../api/types.ts';
import type { StateWord } from './states.ts';

/** What a column of a file becomes. */
const fields: Record<string, string> = {
  firstName: 'First name',
  lastName: 'Last name',
  fullName: 'Name',
  nickname: 'Nickname',
  phone: 'Phone',
  emailAddress: 'Email',
  birthDate: 'Birthday',
  clientAnniversary: 'Client since',
  gender: 'Gender',
  maritalStatus: 'Marital status',
  address: 'Address',
  groups: 'Groups',
};

/** Ids are for finding people again, and no field of theirs. */
export function fieldWords(field: string | null): string | null {
  return field === null ? null : (fields[field] ?? 'Finds the same people again');
}

export const resultWords: Record<ImportPreview['rows'][number]['result'], StateWord> = {
  created: { word: 'New', icon: 'plus', tone: 'good' },
  updated: { word: 'Changed', icon: 'pencil', tone: 'brand' },
  unchanged: { word: 'Already here', icon: 'check', tone: 'quiet' },
  repeated: { word: 'Twice in the file', icon: 'checks', tone: 'quiet' },
  refused: { word: 'Can’t be imported', icon: 'alert-triangle', tone: 'bad' },
};

/** The server's reasons begin in the middle of a sentence. */
export function sentence(why: string): string {
  return why === '' ? '' : `${why[0]?.toUpperCase()}${why.slice(1)}${/[.!?]$/.test(why) ? '' : '.'}`;
}
