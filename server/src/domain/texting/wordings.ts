import { type Deps, inTransaction } from '../../deps.ts';
import * as store from '../../store/texting/wordings.ts';
import { getAccount } from '../accounts/advisors.ts';
import { getFirm } from '../accounts/firms.ts';
import { archiveSetting } from '../accounts/settings.ts';
import { type By, byOperator } from '../archive/archive.ts';
import type { TextKind } from '../ports.ts';
import { problem } from '../problems.ts';
import { hasControlCharacters, isBlank, textLengthMax } from '../shared/text/text-rules.ts';

/** The texts whose wording a firm can set, and the line added to the first text to a person. */
type WordingKind = Exclude<TextKind, 'text'> | 'first_text';
/** Version 0 is our default. */
export type Wording = { version: number; text: string };
export type Names = { firm: string; advisor: string };

/** In GSM-7 characters; one segment each with names of ordinary length. */
const defaults: Record<WordingKind, string> = {
  consent_request:
    '{advisor} of {firm} would like to text you. Reply ACCEPT to agree, STOP to opt out, HELP for help. Msg & data rates may apply.',
  reminder:
    "Sorry, we didn't understand. Reply ACCEPT to get texts from {advisor} of {firm}, STOP to opt out, HELP for help.",
  opt_in:
    'You have agreed to texts from {advisor} of {firm}. Reply HELP for help, STOP to opt out. Msg & data rates may apply.',
  opt_out: 'You have opted out of texts from {advisor} of {firm} and will get no more. Reply START to opt back in.',
  help: '{firm}: {advisor} texts you from this number. Reply STOP to opt out. Msg & data rates may apply.',
  first_text: '{firm}. Reply STOP to opt out.',
};

export const wordingKinds = Object.keys(defaults) as WordingKind[];

type Rule = { what: string; holds(text: string, firmName: string): boolean };

const namesFirm: Rule = {
  what: 'name the firm, preferably as {firm}',
  holds: (text, firmName) => text.includes('{firm}') || text.includes(firmName),
};
const saysHowToAgree: Rule = {
  what: 'say how to agree: ACCEPT or YES',
  holds: (text) => /\b(accept|yes)\b/i.test(text),
};
const saysHowToStop: Rule = { what: 'say how to opt out: STOP', holds: (text) => /\bstop\b/i.test(text) };
const hasNoLink: Rule = {
  what: 'have no link, since it may not advertise',
  holds: (text) => !/https?:|www\./i.test(text),
};

const rules: Record<WordingKind, Rule[]> = {
  consent_request: [namesFirm, saysHowToAgree, saysHowToStop],
  reminder: [saysHowToAgree, saysHowToStop],
  opt_in: [namesFirm, saysHowToStop],
  opt_out: [namesFirm, hasNoLink],
  help: [namesFirm, saysHowToStop],
  first_text: [namesFirm, saysHowToStop],
};

/** The firm's current wording for this kind of text, with placeholders. */
export async function wordingOf(deps: Pick<Deps, 'db'>, firmId: number, kind: WordingKind): Promise<Wording> {
  const own = await store.findWording(deps.db, firmId, kind);
  return own ? { version: own.version, text: own.text } : { version: 0, text: defaults[kind] };
}

/** In one pass, so that braces in a name are left alone. */
export function renderWording(text: string, names: Names): string {
  return text.replace(/\{(firm|advisor)\}/g, (_, name: keyof Names) => names[name]);
}

export async function listWordings(deps: Deps, firmId: number): Promise<(Wording & { kind: WordingKind })[]> {
  await getFirm(deps, firmId);
  const own = new Map((await store.listWordings(deps.db, firmId)).map((each) => [each.kind, each]));
  return wordingKinds.map((kind) => {
    const { version, text } = own.get(kind) ?? { version: 0, text: defaults[kind] };
    return { kind, version, text };
  });
}

type WordingHistory = {
  kind: WordingKind;
  /** Ours, which applies while the firm has none of its own. */
  usual: string;
  /** The firm's own, the newest first. */
  versions: (Wording & { dateTimeCreated: Date })[];
};

export async function listWordingHistories({ db }: Deps, firmId: number): Promise<WordingHistory[]> {
  const rows = await store.listWordingVersions(db, firmId);
  return wordingKinds.map((kind) => {
    const own = rows.filter((row) => row.kind === kind);
    const versions = own.map(({ version, text, dateTimeCreated }) => ({ version, text, dateTimeCreated }));
    return { kind, usual: defaults[kind], versions };
  });
}

/** The firm's wordings as the people of this advisor read them. */
export async function listRenderedWordings(deps: Deps, advisorId: number) {
  const { firmId, firmName: firm, name: advisor } = await getAccount(deps, advisorId);
  const wordings = await listWordings(deps, firmId);
  return wordings.map(({ text, ...rest }) => ({ ...rest, text: renderWording(text, { firm, advisor }) }));
}

/** Applies from the next text on. Texts already sent keep their wording as evidence. */
export async function setWording(
  deps: Deps,
  firmId: number,
  { kind, text }: { kind: string; text: string },
  by: By = byOperator,
): Promise<Wording & { kind: WordingKind }> {
  const firm = await getFirm(deps, firmId);
  if (!isWordingKind(kind))
    throw problem('invalid_request', `KIND must be one of ${wordingKinds.join(', ')}, not "${kind}".`);
  checkWording(kind, text, firm.name);
  return inTransaction(deps, async (deps) => {
    const version = await store.insertWording(deps.db, firmId, { kind, text }, deps.clock.now());
    const of = { firmId, wording: kind, version };
    await archiveSetting(deps, by, { what: 'wording set', of, values: { text } });
    return { kind, version, text };
  });
}

function checkWording(kind: WordingKind, text: string, firmName: string): void {
  const refuse = (what: string) => problem('invalid_request', `The ${kind} wording must ${what}.`);
  if (isBlank(text) || hasControlCharacters(text) || !text.isWellFormed())
    throw refuse('be text without control characters');
  if ([...text].length > textLengthMax) throw refuse(`have at most ${textLengthMax} characters`);
  const unknown = (text.match(/\{[^{}]*\}/g) ?? []).find((each) => each !== '{firm}' && each !== '{advisor}');
  if (unknown) throw refuse(`not contain ${unknown}: the only placeholders are {firm} and {advisor}`);
  const broken = rules[kind].find((rule) => !rule.holds(text, firmName));
  if (broken) throw refuse(broken.what);
}

function isWordingKind(kind: string): kind is WordingKind {
  return wordingKinds.some((each) => each === kind);
}
