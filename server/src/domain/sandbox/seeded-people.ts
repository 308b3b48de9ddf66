import type { ImportRow } from '../address-book/contact-imports.ts';

/** One step of a conversation, in order. */
export type Turn = { from: 'advisor' | 'person'; text: string };
export type SeededConversation = {
  phone: string;
  /** Who never answers the consent request has no turns. */
  consent: 'pending' | 'accepted' | 'opted_out';
  turns: Turn[];
  /** What becomes of the last text, if the last turn is the advisor's; earlier ones are delivered. */
  lastOutcome: 'delivered' | 'sent' | 'undelivered' | 'failed';
  isRead: boolean;
  isDone: boolean;
};

/** Ten area codes with ten thousand numbers each. */
const areaCodes = ['212', '305', '312', '404', '415', '503', '602', '617', '713', '972'];
const seededPeopleMax = areaCodes.length * 10_000;

const firstNames = words(`
  Abigail Adam Alice Amir Ana Andre Angela Anika Anthony Ben Bianca Brian Camila Carlos Carol Chen Claire Daniel David Deborah
  Diego Dmitri Donna Edward Elena Emily Eric Fatima Frank Gloria Grace Hannah Harold Helen Henry Ingrid Isaac Jamal James Jane
  Javier Jin Joan John Jorge Joyce Julia Karen Kenji Laura Leila Linda Louis Lucia Malik Marco Margaret Maria Mark Mary Mei Michael
  Mohammed Nadia Nancy Nathan Nina Nora Oliver Olivia Omar Patricia Paul Peter Priya Quentin Rachel Raj Rebecca Robert Rosa Ruth Samuel
  Sandra Sarah Sofia Stefan Steven Susan Tanya Theresa Thomas Tomas Victor Vivian Walter Wei William Yara Zoe`);
const lastNames = words(`
  Abbott Adams Ahmed Alvarez Anderson Baker Banerjee Barnes Becker Bennett Berg Bishop Brooks Brown Bryant Burke Campbell Carter
  Castillo Chang Chavez Clark Cohen Cole Collins Cooper Cruz Dalton Davis Delgado Diaz Dixon Doyle Dunn Edwards Ellis Espinoza Evans Farrell
  Fischer Fleming Flores Foster Fox Garcia Gibson Gomez Gonzalez Graham Grant Green Gupta Hall Hansen Harper Harris Hayes Henderson
  Hernandez Hill Hoffman Howard Hughes Hussain Ibrahim Ito Jackson Jensen Jimenez Johnson Jones Kaplan Kaur Kelly Kennedy Khan Kim King
  Klein Kowalski Kumar Lambert Larsen Lee Levy Lewis Lin Lopez Lund Lynch Marino Martin Martinez Mehta Mendoza Meyer Miller Mitchell Moore
  Morales Morgan Murphy Murray Myers Nakamura Nelson Nguyen Novak Olsen Ortiz Owens Park Parker Patel Perez Perry Peterson Phillips
  Powell Price Quinn Ramirez Reed Reyes Rivera Roberts Robinson Rogers Rossi Russo Ryan Sanchez Santos Schmidt Schwartz Shah Shaw Silva Singh
  Smith Stein Stewart Sullivan Suzuki Tanaka Taylor Thompson Torres Tran Turner Vargas Vega Wagner Walker Wallace Wang Ward Watson Weber
  White Williams Wilson Wong Wood Wright Yamamoto Yang Young Zhang Zimmerman`);
const groups = ['Clients', 'Prospects', 'Retirees', 'Business owners', 'Newsletter'];
const mailDomains = ['example.com', 'example.net', 'example.org'];

const openings = lines(`
  Hi, it’s time for your annual review. Does Tuesday at 10 work for you?
  Your quarterly statement is ready in the portal. Call me if anything is unclear.
  Happy birthday! I hope you have a great day with the family.
  Quick reminder: our review meeting is tomorrow at 2 pm.
  I have the figures for the college plan that you asked about. When can we talk?
  Your beneficiary form is still open. Could you sign it this week?
  The required distribution for this year is due by December. Shall we set it up together?
  Thanks for coming in today. I’ll mail the summary on Friday.
  Good news: the transfer of your old 401(k) has arrived.
  I’d like to go over your retirement plan with you this month. Which day suits you?`);
const replies = lines(`
  Tuesday works, thank you.
  Thanks, got it!
  Could we do Thursday afternoon?
  Great, see you then.
  I’ll call you after lunch.
  Is the parking behind the building free?
  Thank you, that was very helpful.
  My wife would like to join, is that ok?
  Perfect.
  I signed it this morning.
  What do I need to bring?
  Sounds good, talk soon.`);
const answers = lines(`
  Of course. I’ve put it in the calendar.
  You’re welcome! Have a good weekend.
  Yes, the garage on Main Street is free for visitors.
  Please bring last year’s tax return and a photo ID.
  Thursday at 3 pm is yours.
  I’ll send you the link to the portal in a minute.
  Great, talk to you then.
  Sure, both of you are welcome.`);

/** The same person for an index on every run. Phones are different; names may not be. */
export function seededContact(index: number): ImportRow {
  const draw = drawer(index);
  const [firstName, lastName] = [draw(firstNames), draw(lastNames)];
  const year = 1936 + draw(70);
  const birthDate = `${year}-${two(1 + draw(12))}-${two(1 + draw(28))}`;
  const emailAddress = `${firstName}.${lastName}${index}@${draw(mailDomains)}`.toLowerCase();
  const group = { name: draw(groups), groupId: null, externalId: null };
  return {
    line: index,
    fields: { firstName, lastName, emailAddress, phone: seededPhone(index), birthDate },
    groups: draw(3) === 0 ? [group] : [],
    own: null,
  };
}

/** One in fifty hasn't answered the consent request, and another one has opted out. */
export function seededConversation(index: number): SeededConversation {
  const draw = drawer(index + seededPeopleMax);
  const kind = draw(50);
  const consent = kind === 0 ? 'pending' : kind === 1 ? 'opted_out' : 'accepted';
  const turns = Array.from({ length: consent === 'pending' ? 0 : 2 + draw(5) }, (_, turn): Turn => {
    if (turn % 2 === 1) return { from: 'person', text: draw(replies) };
    return { from: 'advisor', text: draw(turn === 0 ? openings : answers) };
  });
  const lastOutcome = (['failed', 'undelivered', 'sent'] as const)[draw(12)] ?? 'delivered';
  const attention = draw(10);
  return { phone: seededPhone(index), consent, turns, lastOutcome, isRead: attention < 7, isDone: attention < 3 };
}

export function seededPhone(index: number): string {
  return `+1${areaCodes[index % areaCodes.length]}555${String(Math.floor(index / areaCodes.length)).padStart(4, '0')}`;
}

type Draw = { (below: number): number; <Item>(from: readonly Item[]): Item };

/** Numbers that look random, and are the same for the same seed: a 32-bit mix (splitmix) of a counter. */
function drawer(seed: number): Draw {
  let state = Math.imul(seed + 1, 0x9e3779b9);
  function next(below: number): number {
    state = (state + 0x9e3779b9) | 0;
    let mixed = Math.imul(state ^ (state >>> 16), 0x21f0aaad);
    mixed = Math.imul(mixed ^ (mixed >>> 15), 0x735a2d97);
    return ((mixed ^ (mixed >>> 15)) >>> 0) % below;
  }
  return ((from: number | readonly unknown[]) =>
    typeof from === 'number' ? next(from) : from[next(from.length)]) as Draw;
}

function words(text: string): string[] {
  return text.trim().split(/\s+/);
}

function lines(text: string): string[] {
  return text.trim().split(/\n\s*/);
}

function two(count: number): string {
  return String(count).padStart(2, '0');
}
