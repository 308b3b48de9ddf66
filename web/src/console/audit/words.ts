import type { list } from '../../../../server/src/http/console/audit.ts';
import { fullTime } from '../../words/times.ts';
import type { RowOf } from '../answers.ts';

/** The entries of the audit log in words. */
export type AuditEntry = RowOf<typeof list>;

export const kindNames: Record<string, string> = {
  setting: 'Settings',
  staff: 'Staff',
  sign_in: 'Sign-ins',
  text_read: 'Texts read',
  retention: 'Retention',
  hold: 'Holds',
  disposal: 'Disposals',
  export: 'Exports',
};

const whats: Record<string, string> = {
  'advisor set': 'Advisor’s settings changed',
  'firm set': 'Firm’s settings changed',
  'carrier set': 'Carrier’s settings changed',
  'application set': 'Application changed',
  'key plan set': 'Usage plan of a key changed',
  'doubt settled': 'Text in doubt settled',
  'archive downloaded': 'Export of the archive downloaded',
  'text read': 'Text in doubt read',
  'consent read': 'Evidence of consent read',
  'number shown': 'Hidden number in a text shown',
  retention: 'Retention changed',
  disposal: 'Records disposed of',
};
/** Of these, the entry has half of the phrase. */
const phrases: Record<string, (what: string) => string> = {
  staff: (what) => `Staff member ${what}`,
  hold: (what) => `Legal hold ${what}`,
  export: (what) => `${what} exported`,
};

/** Most are phrases already: `key issued`. */
export function whatWords({ what, kind }: Pick<AuditEntry, 'what' | 'kind'>): string {
  if (whats[what]) return whats[what];
  const said = phrases[kind]?.(what) ?? what.replaceAll('_', ' ');
  return `${said[0]?.toUpperCase()}${said.slice(1)}`;
}

const actors: Record<string, string> = {
  operator: 'An operator, by command',
  service: 'Assent itself',
  carrier: 'The carrier',
  person: 'The person',
  visitor: 'Somebody who wasn’t signed in',
};

export function actorWords({
  actor,
  actorName,
  isByCommand,
}: Pick<AuditEntry, 'actor' | 'actorName' | 'isByCommand'>): string {
  if (actorName && isByCommand) return `${actorName}, by command`;
  if (actorName) return actor.startsWith('advisor:') ? `${actorName}, the advisor` : actorName;
  return actors[actor] ?? 'Somebody who was removed';
}

/** Ids say nothing to a reader, and the time is in another column. */
const unsaid = /Id$|Hash$|^dateTime/;

/** `Quiet hours: off → defer; Name: Bob → Rob` */
export function detailWords(details: Record<string, unknown>): string {
  return Object.entries(details)
    .filter(([name, value]) => value !== null && !unsaid.test(name))
    .map(([name, value]) => `${fieldWords(name)}: ${changeWords(value)}`)
    .join('; ');
}

function changeWords(value: unknown): string {
  if (typeof value === 'object' && value !== null && 'to' in value) {
    const { from, to } = value as { from?: unknown; to: unknown };
    return `${valueWords(from)} → ${valueWords(to)}`;
  }
  return valueWords(value);
}

function valueWords(value: unknown): string {
  if (value === null || value === undefined || value === '') return 'none';
  if (value === true) return 'yes';
  if (value === false) return 'no';
  if (Array.isArray(value)) return value.map(valueWords).join(', ');
  if (typeof value === 'object') return objectWords(value);
  const text = String(value);
  if (moment.test(text)) return fullTime(Date.parse(text));
  // An address or a name is said as it is written, whatever is in it.
  return term.test(text) ? text.replaceAll('_', ' ') : text;
}

/** Such as a rule: `Gifts (hold, hot tip, gift card)`. */
function objectWords(value: object): string {
  if (!('name' in value)) return JSON.stringify(value);
  const { name, ...rest } = value;
  return `${valueWords(name)} (${Object.values(rest).map(valueWords).join(', ')})`;
}

const term = /^[a-z]+(_[a-z]+)+$/;
const moment = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z$/;

function fieldWords(name: string): string {
  const words = name.replace(/([a-z])([A-Z])/g, (_, before, after) => `${before} ${after.toLowerCase()}`);
  return `${words[0]?.toUpperCase()}${words.slice(1)}`;
}
