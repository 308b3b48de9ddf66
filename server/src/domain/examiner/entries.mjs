// --- Entries ----------------------------------------------------------------------------------------------------------

import { isUtf8 } from 'node:buffer';
import { hash } from 'node:crypto';
import { hashBytes, leafHash } from './tree.mjs';

/**
 * @typedef {{
 *   advisorId: number, number: number, kind: string, memberId: number | null, messageId: number | null, actor: string,
 *   traceId: string | null, meta: string, commitment: string, dateTime: string
 * }} Entry
 */

const version = 'assent-entry-v1';

/**
 * The bytes of an entry that are a leaf of the tree: a JSON array, so nothing depends on the order of names.
 * `commitment` is in hex, `dateTime` in UTC with microseconds.
 * @param {Entry} entry
 * @returns {Buffer}
 */
export function entryBytes(entry) {
  const { advisorId, number, kind, memberId, messageId, actor, traceId, meta, commitment, dateTime } = entry;
  const facts = [version, advisorId, number, kind, memberId, messageId, actor, traceId, meta, commitment, dateTime];
  return Buffer.from(JSON.stringify(facts));
}

/** The hash of an entry as a leaf of the tree. @param {Entry} entry */
export function entryHash(entry) {
  return leafHash(entryBytes(entry));
}

/** @param {{ advisorId: number, number: number }} entry */
export function nameOf({ advisorId, number }) {
  return `entry ${number} of advisor ${advisorId}`;
}

const noCommitment = '00'.repeat(hashBytes);

/**
 * An entry about what became of a text has only facts and no body. Its commitment is zeros, which are no body's hash.
 * @param {Pick<Entry, 'kind' | 'commitment'>} entry
 */
export function isBodiless({ kind, commitment }) {
  return kind === 'outcome' && commitment === noCommitment;
}

/**
 * Identifies an entry's body without revealing it, in hex.
 * @param {Uint8Array} salt @param {Uint8Array} body
 */
export function commitmentOf(salt, body) {
  return hash('sha256', Buffer.concat([salt, body]));
}

/** A picture or the like that came with a text. */
export const mediaKind = 'media_in';
/** How many random bytes a salt begins with. The name of the person may follow, and a zero byte that ends it. */
const saltBytes = 16;

/**
 * Whether these are the salt and the body that an entry was written with. The commitment alone doesn't tell where one ends
 * and the other begins. So a salt has a fixed form, and no body has a zero byte. Media have any bytes, and so no name.
 * @param {Pick<Entry, 'kind' | 'commitment'>} entry @param {Buffer} salt @param {Buffer} body
 */
export function isCommittedTo({ kind, commitment }, salt, body) {
  const isNamed = salt.length > saltBytes + 1 && salt.indexOf(0, saltBytes) === salt.length - 1;
  if (salt.length !== saltBytes && !(isNamed && kind !== mediaKind)) return false;
  return (kind === mediaKind || !body.includes(0)) && commitmentOf(salt, body) === commitment;
}

/**
 * The person's name, as the address book had it when the entry was written. It is with the salt, so that it goes when the
 * body goes.
 * @param {Buffer | null} salt @returns {string | null}
 */
export function nameIn(salt) {
  return salt && salt.length > saltBytes ? salt.toString('utf8', saltBytes, salt.length - 1) : null;
}

/**
 * `carrier` is the name of the carrier, if the entry says it, and `handedOver` when the carrier was given the text, if it was. Packages from
 * before that don't have them.
 * @typedef {{
 *   number: number, outcome: string, reason: string | null, dateTime: string, carrier?: string | null, handedOver?: string | null
 * }} Outcome
 * @typedef {{ text: number, outcome: Outcome }} FoundOutcome
 */

/**
 * What an entry says became of a text, and the number of the text's entry; null for other entries.
 * @param {Pick<Entry, 'number' | 'kind' | 'meta' | 'dateTime'>} entry
 * @returns {FoundOutcome | null}
 */
export function outcomeOf({ number, kind, meta, dateTime }) {
  if (kind !== 'outcome') return null;
  const { text, outcome, reason, carrier, handedOver } = factsIn(meta);
  const textOrNull = (/** @type {unknown} */ fact) => (typeof fact === 'string' ? fact : null);
  const began = isMoment(handedOver) ? handedOver : null;
  const said = { number, outcome: String(outcome), reason: textOrNull(reason), dateTime };
  return { text: Number(text), outcome: { ...said, carrier: textOrNull(carrier), handedOver: began } };
}

/**
 * Whether the outcome next to a text is this one. Packages of the first format don't say when it was handed over.
 * @param {Outcome} named @param {Outcome} outcome @param {boolean} isFirstFormat
 */
export function isSameOutcome(named, outcome, isFirstFormat) {
  const facts = /** @type {const} */ (['number', 'outcome', 'reason', 'dateTime']);
  const isCarrierSame = named.carrier === undefined || named.carrier === outcome.carrier;
  const isMomentSame = isFirstFormat || named.handedOver === outcome.handedOver;
  return isCarrierSame && isMomentSame && facts.every((fact) => named[fact] === outcome[fact]);
}

/** @param {unknown} value @returns {value is string} */
function isMoment(value) {
  return (
    typeof value === 'string' &&
    /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}Z$/.test(value) &&
    !Number.isNaN(Date.parse(value))
  );
}

/** The body as text, if it is text. @param {Pick<Entry, 'kind'>} entry @param {Buffer} body */
export function textOf({ kind }, body) {
  return kind !== mediaKind && isUtf8(body) ? body.toString() : null;
}

// A line of a package: an entry with its proof, its body, and what is shown next to it

/**
 * @typedef {{
 *   about?: 'disposal' | 'rule', entry: Entry, leaf: number, proof: string[], salt: string | null, body: string | null,
 *   text: string | null, phone: string | null, name: string | null, outcome: Outcome | null
 * }} Line
 */

const proofHashesMax = 64;

/** @param {Buffer} bytes @returns {Line | null} */
export function lineIn(bytes) {
  const json = bytes.toString();
  const line = jsonIn(json);
  // Of two fields with one name, other programs may show the first, which nobody would check.
  if (JSON.stringify(line) !== json.trimEnd()) return null;
  if (!isRecord(line) || !isRecord(line.entry) || !isCount(line.leaf) || !isProof(line.proof)) return null;
  const { advisorId, number, kind, memberId, messageId, actor, traceId, meta, commitment, dateTime } = line.entry;
  const isWhole =
    [undefined, 'disposal', 'rule'].includes(/** @type {string | undefined} */ (line.about)) &&
    [advisorId, number].every(isCount) &&
    [memberId, messageId].every((id) => id === null || isCount(id)) &&
    [kind, actor, meta, commitment, dateTime].every((fact) => typeof fact === 'string') &&
    [traceId, line.salt, line.body, line.text, line.phone, line.name].every(isStringOrNull) &&
    (line.outcome === null || (isRecord(line.outcome) && isCount(line.outcome.number)));
  return isWhole ? /** @type {Line} */ (/** @type {unknown} */ (line)) : null;
}

/**
 * What is wrong with an entry's body, or with what the line says about it.
 * @param {Line} line @param {Buffer | null} salt @param {Buffer | null} body
 */
export function bodyFault({ entry, text, phone, name }, salt, body) {
  if (body && !(salt && isCommittedTo(entry, salt, body))) return 'its body was altered';
  if (name !== (body && nameIn(salt))) return 'the name next to it was altered';
  if (text !== (body && textOf(entry, body))) return 'the text next to its body was altered';
  const known = phone === null ? null : phoneIn(entry, body);
  return typeof known === 'string' && known !== phone ? 'the phone number next to it was altered' : null;
}

/**
 * The phone number of the person an entry is about, if the entry itself has it.
 * @param {Entry} entry @param {Buffer | null} body @returns {unknown}
 */
function phoneIn({ kind, meta }, body) {
  if (kind === 'text_out') return factsIn(meta).to;
  if (kind === 'text_in' || kind === mediaKind) return factsIn(meta).from;
  return kind === 'consent' && body ? factsIn(body.toString()).phone : null;
}

// What JSON says

/** @param {string} json @returns {Readonly<Record<string, unknown>>} */
export function factsIn(json) {
  const facts = jsonIn(json);
  return isRecord(facts) ? facts : {};
}

/** @param {Buffer | string} bytes @returns {unknown} */
export function jsonIn(bytes) {
  try {
    return JSON.parse(bytes.toString());
  } catch {
    return undefined;
  }
}

/** @param {unknown} value @returns {value is Record<string, unknown>} */
export function isRecord(value) {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** @param {unknown} value @returns {value is string | null} */
function isStringOrNull(value) {
  return value === null || typeof value === 'string';
}

/** @param {unknown} value @returns {value is number} */
export function isCount(value) {
  return Number.isSafeInteger(value) && Number(value) >= 0;
}

/** @param {unknown} value @returns {value is string[]} */
export function isProof(value) {
  return Array.isArray(value) && value.length <= proofHashesMax && value.every((hash) => typeof hash === 'string');
}

/** @param {string} encoded */
export function bytesOf(encoded) {
  return Buffer.from(encoded, 'base64');
}
