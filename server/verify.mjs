// Everything an examiner needs to check our evidence, in one file without dependencies. Plain JavaScript: it runs as it is
// on Node 20.12 or later.
//
//   node verify.mjs --package DIR --checkpoint FILE --pubkey FILE
//
// The folder is the package that was handed over; the checkpoint and the public key should have come by a different route.
// It exits with 0 if the package is as it was signed, 1 if something was altered, inserted or moved, 2 if something is
// missing, and 3 if it can't tell. It names the first entry that is wrong.
//
// `npm run generate` joins it from the modules in server/src/domain/examiner.
import { isUtf8 } from 'node:buffer';
import { createHash, createPublicKey, hash, verify as verifySignature } from 'node:crypto';
import { closeSync, constants, fstatSync, openSync, readFileSync, readSync, realpathSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';

// --- The tree: RFC 6962, section 2 -----------------------------------------------------------------------------------

const hashBytes = 32;

/** @param {Uint8Array} bytes @returns {Buffer} */
function sha256(bytes) {
  return Buffer.from(hash('sha256', bytes), 'hex');
}

const [leafPrefix, nodePrefix] = [Buffer.of(0), Buffer.of(1)];

/** @param {Uint8Array} bytes @returns {Buffer} */
function leafHash(bytes) {
  return sha256(Buffer.concat([leafPrefix, bytes]));
}

/** @param {Uint8Array} left @param {Uint8Array} right @returns {Buffer} */
function nodeHash(left, right) {
  return sha256(Buffer.concat([nodePrefix, left, right]));
}

/**
 * Tells which leaves are in a tree (RFC 9162, 2.1.3.2). Neighbors share most of their path to the root, so a path ends where it
 * meets the last one that led there: without that, it would take half as long again.
 */
class Inclusion {
  #size;
  #root;
  /**
   * The last path that led to the root: the place and the hash of its node at each level.
   * @type {{ at: number, hash: Buffer }[]}
   */
  #proven = [];

  /** @param {{ size: number, root: Buffer }} tree */
  constructor({ size, root }) {
    this.#size = size;
    this.#root = root;
  }

  /**
   * Whether the proof, hashes in base64, leads from this leaf to the root.
   * @param {Buffer} leaf @param {number} index @param {string[]} proof
   */
  has(leaf, index, proof) {
    if (index >= this.#size) return false;
    /** @type {{ at: number, hash: Buffer }[]} */
    const path = [];
    let [hash, used] = [leaf, 0];
    let [at, last] = [index, this.#size - 1];
    while (last > 0) {
      const met = this.#proven[path.length];
      if (met?.at === at) return met.hash.equals(hash) && this.#remember(path);
      path.push({ at, hash });
      // The last node of a level may have none beside it: it moves up as it is.
      if (at < last || at % 2 === 1) {
        const sibling = Buffer.from(proof[used++] ?? '', 'base64');
        if (sibling.length !== hashBytes) return false;
        hash = at % 2 === 0 ? nodeHash(hash, sibling) : nodeHash(sibling, hash);
      }
      [at, last] = [Math.floor(at / 2), Math.floor(last / 2)];
    }
    return used === proof.length && hash.equals(this.#root) && this.#remember(path);
  }

  /** @param {{ at: number, hash: Buffer }[]} path */
  #remember(path) {
    this.#proven.splice(0, path.length, ...path);
    return true;
  }
}

/**
 * Whether the newer tree begins with the older one (RFC 9162, 2.1.4.2).
 * @param {{ older: { size: number, root: Buffer }, newer: { size: number, root: Buffer }, proof: Buffer[] }} given
 * @returns {boolean}
 */
function isConsistent({ older, newer, proof }) {
  if (older.size > newer.size) return false;
  if (older.size === newer.size) return proof.length === 0 && older.root.equals(newer.root);
  if (older.size === 0) return proof.length === 0;
  const path = isPowerOfTwo(older.size) ? [older.root, ...proof] : [...proof];
  let [at, last] = [older.size - 1, newer.size - 1];
  while (at % 2 === 1) [at, last] = [Math.floor(at / 2), Math.floor(last / 2)];
  const first = path.shift();
  if (!first) return false;
  let [olderRoot, newerRoot] = [first, first];
  for (const sibling of path) {
    if (last === 0) return false;
    if (at % 2 === 1 || at === last) {
      olderRoot = nodeHash(sibling, olderRoot);
      newerRoot = nodeHash(sibling, newerRoot);
      while (at % 2 === 0 && at !== 0) [at, last] = [at / 2, Math.floor(last / 2)];
    } else newerRoot = nodeHash(newerRoot, sibling);
    [at, last] = [Math.floor(at / 2), Math.floor(last / 2)];
  }
  return last === 0 && olderRoot.equals(older.root) && newerRoot.equals(newer.root);
}

/** @param {number} count */
function isPowerOfTwo(count) {
  return Number.isInteger(Math.log2(count));
}

// --- Signed notes and checkpoints: C2SP signed-note, tlog-checkpoint --------------------------------------------------

/** Of a whole note. A longer one could have so many signatures over so long a text that checking them takes hours. */
const noteCharactersMax = 16 * 1024;

const ed25519 = Buffer.from([1]);
/** The DER that comes before the 32 bytes of an Ed25519 public key. */
const publicKeyPrefix = Buffer.from('302a300506032b6570032100', 'hex');

/** @typedef {{ name: string, id: Buffer, key: Buffer, publicKey: import('node:crypto').KeyObject }} Verifier */

/**
 * The four bytes that tell which key made a signature.
 * @param {string} name @param {Uint8Array} key
 */
function keyIdOf(name, key) {
  return sha256(Buffer.concat([Buffer.from(`${name}\n`), ed25519, key])).subarray(0, 4);
}

/**
 * Reads a public key, a line of text: NAME+ID+KEY.
 * @param {string} text
 * @returns {Verifier | null}
 */
function readVerifier(text) {
  const [, name = '', id = '', encoded = ''] = /^([^+\s]+)\+([0-9a-f]{8})\+([A-Za-z0-9+/=]+)\s*$/.exec(text) ?? [];
  const bytes = Buffer.from(encoded, 'base64');
  const key = bytes.subarray(1);
  if (key.length !== 32 || bytes[0] !== 1 || keyIdOf(name, key).toString('hex') !== id) return null;
  const publicKey = createPublicKey({ key: Buffer.concat([publicKeyPrefix, key]), format: 'der', type: 'spki' });
  return { name, id: Buffer.from(id, 'hex'), key, publicKey };
}

/**
 * The text of a note, and the signatures that say they are by this key.
 * @param {string} note @param {Pick<Verifier, 'name' | 'id'>} verifier
 * @returns {{ text: string, signatures: Buffer[] } | null}
 */
function signaturesIn(note, { name, id }) {
  const end = note.lastIndexOf('\n\n');
  if (end < 0 || !note.endsWith('\n') || note.length > noteCharactersMax) return null;
  const signatures = [];
  for (const line of note.slice(end + 2).split('\n')) {
    const [, signer, encoded = ''] = /^— (\S+) (\S+)$/.exec(line) ?? [];
    const bytes = Buffer.from(encoded, 'base64');
    // The same bytes can be written in base64 in several ways: only one of them counts.
    if (signer !== name || !bytes.subarray(0, 4).equals(id) || bytes.toString('base64') !== encoded) continue;
    signatures.push(bytes.subarray(4));
  }
  return { text: note.slice(0, end + 1), signatures };
}

/**
 * The text of a note, or null if this key hasn't signed it.
 * @param {string} note @param {Verifier} verifier
 * @returns {string | null}
 */
function openNote(note, verifier) {
  const { text = '', signatures = [] } = signaturesIn(note, verifier) ?? {};
  const bytes = Buffer.from(text);
  const isSigned = signatures.some((each) => verifySignature(null, bytes, verifier.publicKey, each));
  return isSigned ? text : null;
}

/** @typedef {{ origin: string, size: number, root: Buffer, time: string, note: string }} Checkpoint */

/**
 * The checkpoint in a note, or null if there is none that this key has signed.
 * @param {string} note @param {Verifier} verifier
 * @returns {Checkpoint | null}
 */
function readCheckpoint(note, verifier) {
  const text = openNote(note, verifier);
  return text === null ? null : checkpointIn(text, { name: verifier.name, note });
}

/**
 * The checkpoint in a text that was signed under this name.
 * @param {string} text @param {{ name: string, note: string }} signed
 * @returns {Checkpoint | null}
 */
function checkpointIn(text, { name, note }) {
  const [origin = '', size = '', root = '', ...rest] = text.split('\n');
  const bytes = Buffer.from(root, 'base64');
  if (origin !== name || !/^(0|[1-9]\d{0,15})$/.test(size) || bytes.length !== hashBytes) return null;
  const time = rest.find((line) => line.startsWith('time '))?.slice('time '.length) ?? '';
  return { origin, size: Number(size), root: bytes, time, note };
}

/** The notes in a text that was split at empty lines: they separate, in turn, a text and its signatures. @param {string[]} parts */
function notesOf(parts) {
  return parts.flatMap((part, at) => {
    const text = parts[at - 1];
    return text !== undefined && part.startsWith('— ') ? `${text}\n\n${part.trimEnd()}\n` : [];
  });
}

// --- Entries ----------------------------------------------------------------------------------------------------------

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
function entryBytes(entry) {
  const { advisorId, number, kind, memberId, messageId, actor, traceId, meta, commitment, dateTime } = entry;
  const facts = [version, advisorId, number, kind, memberId, messageId, actor, traceId, meta, commitment, dateTime];
  return Buffer.from(JSON.stringify(facts));
}

/** The hash of an entry as a leaf of the tree. @param {Entry} entry */
function entryHash(entry) {
  return leafHash(entryBytes(entry));
}

/** @param {{ advisorId: number, number: number }} entry */
function nameOf({ advisorId, number }) {
  return `entry ${number} of advisor ${advisorId}`;
}

const noCommitment = '00'.repeat(hashBytes);

/**
 * An entry about what became of a text has only facts and no body. Its commitment is zeros, which are no body's hash.
 * @param {Pick<Entry, 'kind' | 'commitment'>} entry
 */
function isBodiless({ kind, commitment }) {
  return kind === 'outcome' && commitment === noCommitment;
}

/**
 * Identifies an entry's body without revealing it, in hex.
 * @param {Uint8Array} salt @param {Uint8Array} body
 */
function commitmentOf(salt, body) {
  return hash('sha256', Buffer.concat([salt, body]));
}

/** A picture or the like that came with a text. */
const mediaKind = 'media_in';
/** How many random bytes a salt begins with. The name of the person may follow, and a zero byte that ends it. */
const saltBytes = 16;

/**
 * Whether these are the salt and the body that an entry was written with. The commitment alone doesn't tell where one ends
 * and the other begins. So a salt has a fixed form, and no body has a zero byte. Media have any bytes, and so no name.
 * @param {Pick<Entry, 'kind' | 'commitment'>} entry @param {Buffer} salt @param {Buffer} body
 */
function isCommittedTo({ kind, commitment }, salt, body) {
  const isNamed = salt.length > saltBytes + 1 && salt.indexOf(0, saltBytes) === salt.length - 1;
  if (salt.length !== saltBytes && !(isNamed && kind !== mediaKind)) return false;
  return (kind === mediaKind || !body.includes(0)) && commitmentOf(salt, body) === commitment;
}

/**
 * The person's name, as the address book had it when the entry was written. It is with the salt, so that it goes when the
 * body goes.
 * @param {Buffer | null} salt @returns {string | null}
 */
function nameIn(salt) {
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
function outcomeOf({ number, kind, meta, dateTime }) {
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
function isSameOutcome(named, outcome, isFirstFormat) {
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
function textOf({ kind }, body) {
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
function lineIn(bytes) {
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
function bodyFault({ entry, text, phone, name }, salt, body) {
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
function factsIn(json) {
  const facts = jsonIn(json);
  return isRecord(facts) ? facts : {};
}

/** @param {Buffer | string} bytes @returns {unknown} */
function jsonIn(bytes) {
  try {
    return JSON.parse(bytes.toString());
  } catch {
    return undefined;
  }
}

/** @param {unknown} value @returns {value is Record<string, unknown>} */
function isRecord(value) {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** @param {unknown} value @returns {value is string | null} */
function isStringOrNull(value) {
  return value === null || typeof value === 'string';
}

/** @param {unknown} value @returns {value is number} */
function isCount(value) {
  return Number.isSafeInteger(value) && Number(value) >= 0;
}

/** @param {unknown} value @returns {value is string[]} */
function isProof(value) {
  return Array.isArray(value) && value.length <= proofHashesMax && value.every((hash) => typeof hash === 'string');
}

/** @param {string} encoded */
function bytesOf(encoded) {
  return Buffer.from(encoded, 'base64');
}

// --- The e-mails of a package ----------------------------------------------------------------------------------------

/** @typedef {{ id: number, name: string, firm: string | null }} Advisor */
/** @typedef {Readonly<Record<string, unknown>>} Facts */

/** The kinds of entries that are e-mails in a package, and how the e-mails' names end. */
const emailKinds = new Map([
  ['text_out', 'out'],
  ['text_in', 'in'],
  ['consent', 'consent'],
  [mediaKind, 'media'],
]);
const lineEnd = '\r\n';
const nameDigitsMin = 6;
const base64LineMax = 76;
const encodedWordBytesMax = 45;

/**
 * The e-mail (RFC 5322) for a text, media or a change of consent; null for every other entry. It is made only from the entry, its
 * body, the text's outcome and the manifest, so anyone can check it: they make it again and compare every byte. In packages of the first
 * format, the date is when the text was written; now it is when it went.
 * @param {{
 *   advisor: Advisor, lastNumber: number, entry: Entry, leaf: number, salt: Buffer | null, body: Buffer,
 *   outcome: Outcome | null, isFirstFormat?: boolean
 * }} given
 * @returns {{ name: string, bytes: Buffer } | null}
 */
function emailOf({ advisor, lastNumber, entry, leaf, salt, body, outcome, isFirstFormat = false }) {
  const ending = emailKinds.get(entry.kind);
  if (!ending) return null;
  const digits = Math.max(nameDigitsMin, String(lastNumber).length);
  const hash = entryHash(entry).toString('hex');
  const facts = factsIn(entry.meta);
  const text =
    addressLines(advisor, entry, { facts, name: nameIn(salt), body }) +
    dateLines(entry, isFirstFormat ? null : outcome) +
    `Message-ID: <${entry.number}.${entry.advisorId}.${hash.slice(0, 32)}@assent.invalid>\r\n` +
    threadLines(entry) +
    `X-Assent-Advisor: ${entry.advisorId}\r\n` +
    `X-Assent-Entry: ${entry.number}\r\n` +
    `X-Assent-Leaf: ${leaf}\r\n` +
    `X-Assent-Kind: ${entry.kind}\r\n` +
    `X-Assent-Actor: ${plain(entry.actor)}\r\n` +
    (entry.traceId === null ? '' : `X-Assent-Trace-Id: ${plain(entry.traceId)}\r\n`) +
    (entry.kind === 'text_out' && !isFirstFormat ? `X-Assent-Written: ${emailDate(entry.dateTime)}\r\n` : '') +
    outcomeLines(outcome) +
    (entry.kind === 'text_in' ? receivedLines(facts) : '') +
    'MIME-Version: 1.0\r\n' +
    contentLines(entry, { facts, body, hash });
  const name = `${String(entry.number).padStart(digits, '0')}-${ending}.eml`;
  return { name, bytes: Buffer.from(text) };
}

/**
 * A line of the list of e-mails in a package: the one for an e-mail, or the heading.
 * @param {{ entry: Entry, leaf: number, email: { name: string, bytes: Buffer } | null }} [given]
 */
function emailListLine(given) {
  if (!given) return `file,sha256,entry,leaf,kind,time${lineEnd}`;
  const { entry, leaf, email } = given;
  // If the body was disposed of, there is no e-mail, and the line says that there was one.
  const file = email ? `${email.name},${hash('sha256', email.bytes)}` : ',';
  return `${file},${entry.number},${leaf},${entry.kind},${entry.dateTime}${lineEnd}`;
}

/** @param {Entry} entry */
function isEmail(entry) {
  return emailKinds.has(entry.kind);
}

/** @param {Advisor} advisor @param {Entry} entry @param {{ facts: Facts, name: string | null, body: Buffer }} more */
function addressLines(advisor, entry, { facts, name, body }) {
  if (entry.kind === 'consent') {
    const phone = plain(factsIn(body.toString()).phone);
    const office = `${phrase(advisor.name)} <advisor-${advisor.id}@assent.invalid>`;
    const subject = `Consent of ${phone}: ${plain(facts.from)} to ${plain(facts.to)}`;
    return `From: ${atPhone(name ?? phone, phone)}\r\nTo: ${office}\r\nSubject: ${subject}\r\n`;
  }
  const [from, to] = [plain(facts.from), plain(facts.to)];
  if (entry.kind === 'text_out')
    return `From: ${atPhone(advisor.name, from)}\r\nTo: ${atPhone(name ?? to, to)}\r\nSubject: Text to ${to}\r\n`;
  const what = entry.kind === mediaKind ? 'Media' : 'Text';
  // A sender that is no number is only shown: it could be no address either.
  const sender = facts.misdirected === true ? 'misdirected' : from;
  return `From: ${atPhone(name ?? from, sender)}\r\nTo: ${atPhone(advisor.name, to)}\r\nSubject: ${what} from ${from}\r\n`;
}

/**
 * Everything between an advisor and a person is one thread. Its first e-mail is imaginary, so that an e-mail is the same in
 * every package, whatever else is in there.
 * @param {Entry} entry
 */
function threadLines({ advisorId, memberId }) {
  if (memberId === null) return '';
  const thread = `<conversation.${memberId}.${advisorId}@assent.invalid>`;
  return `In-Reply-To: ${thread}\r\nReferences: ${thread}\r\n`;
}

/**
 * When a text was handed over, or failed; without that, and of anything else, when it was written.
 * @param {Entry} entry @param {Outcome | null} outcome
 */
function dateLines({ dateTime }, outcome) {
  const failed = outcome?.outcome === 'failed' ? outcome.dateTime : null;
  return `Date: ${emailDate(outcome?.handedOver ?? failed ?? dateTime)}\r\n`;
}

/** @param {string} dateTime */
function emailDate(dateTime) {
  return new Date(dateTime).toUTCString().replace('GMT', '+0000');
}

/** @param {Outcome | null} outcome */
function outcomeLines(outcome) {
  if (!outcome) return '';
  const { number, reason, dateTime } = outcome;
  return (
    `X-Assent-Outcome: ${plain(outcome.outcome)}\r\n` +
    (reason === null ? '' : `X-Assent-Outcome-Reason: ${plain(reason)}\r\n`) +
    `X-Assent-Outcome-Time: ${plain(dateTime)}\r\n` +
    `X-Assent-Outcome-Entry: ${number}\r\n`
  );
}

/** Parts of a long text that never came, and how many pictures and the like came with it. @param {Facts} facts */
function receivedLines({ incomplete, media }) {
  const parts = isRecord(incomplete) ? `${plain(incomplete.received)} of ${plain(incomplete.of)} parts` : null;
  return (
    (parts === null ? '' : `X-Assent-Incomplete: ${parts}\r\n`) +
    (Array.isArray(media) ? `X-Assent-Media: ${media.length}\r\n` : '')
  );
}

/** @param {Entry} entry @param {{ facts: Facts, body: Buffer, hash: string }} more */
function contentLines(entry, { facts, body, hash }) {
  if (entry.kind === 'consent') {
    const summary = { ...facts, ...factsIn(body.toString()) };
    return attachedLines(hash, summary, { type: 'application/json', name: 'evidence.json', body });
  }
  if (entry.kind !== mediaKind) return textLines(body);
  if (typeof facts.notFetched === 'string') return textLines(Buffer.from(factLines('', facts).join('\n')));
  const [type, subtype] = mediaTypeOf(facts.contentType);
  const ending = /^[a-z0-9]{1,20}$/.test(subtype) ? subtype : 'bin';
  return attachedLines(hash, facts, { type: `${type}/${subtype}`, name: `media.${ending}`, body });
}

/** Whatever else it says could end the header. @param {unknown} given @returns {[type: string, subtype: string]} */
function mediaTypeOf(given) {
  const [, type, subtype] =
    /^([a-z0-9.+-]{1,60})\/([a-z0-9.+-]{1,60})$/.exec(typeof given === 'string' ? given : '') ?? [];
  return type && subtype ? [type, subtype] : ['application', 'octet-stream'];
}

/** @param {Buffer} body */
function textLines(body) {
  return `Content-Type: text/plain; charset=utf-8\r\nContent-Transfer-Encoding: base64\r\n\r\n${base64Lines(body)}`;
}

/**
 * A readable summary, and the body as it is archived.
 * @param {string} hash @param {Record<string, unknown>} facts @param {{ type: string, name: string, body: Buffer }} attached
 */
function attachedLines(hash, facts, { type, name, body }) {
  const boundary = `=_${hash.slice(0, 32)}`;
  return (
    `Content-Type: multipart/mixed; boundary="${boundary}"\r\n\r\n` +
    `--${boundary}\r\n` +
    textLines(Buffer.from(factLines('', facts).join('\n'))) +
    `--${boundary}\r\n` +
    `Content-Type: ${type}\r\n` +
    `Content-Disposition: attachment; filename="${name}"\r\n` +
    'Content-Transfer-Encoding: base64\r\n\r\n' +
    base64Lines(body) +
    `--${boundary}--\r\n`
  );
}

/** One line per fact: `wording.version: 3`. @param {string} path @param {Facts} facts @returns {string[]} */
function factLines(path, facts) {
  return Object.entries(facts).flatMap(([name, value]) =>
    isRecord(value) ? factLines(`${path}${name}.`, value) : [`${path}${name}: ${value}`],
  );
}

/** @param {string} name @param {string} phone */
function atPhone(name, phone) {
  return `${phrase(name)} <${phone}@sms.invalid>`;
}

/** Only printable ASCII, without spaces. @param {unknown} value */
function plain(value) {
  return String(value ?? 'unknown').replace(/[^\x21-\x7e]/g, '?');
}

/** A name in a header: quoted, or as encoded words (RFC 2047) if it isn't ASCII. @param {string} text */
function phrase(text) {
  if (/^[\x20-\x7e]*$/.test(text)) return `"${text.replace(/["\\]/g, '\\$&')}"`;
  const words = [''];
  for (const character of text.toWellFormed()) {
    const longer = `${words.at(-1)}${character}`;
    if (Buffer.byteLength(longer) > encodedWordBytesMax) words.push(character);
    else words[words.length - 1] = longer;
  }
  return words.map((word) => `=?utf-8?B?${Buffer.from(word).toString('base64')}?=`).join(`${lineEnd} `);
}

/** @param {Buffer} bytes */
function base64Lines(bytes) {
  const text = bytes.toString('base64');
  let lines = '';
  for (let at = 0; at < text.length; at += base64LineMax) lines += `${text.slice(at, at + base64LineMax)}\r\n`;
  return lines;
}

// --- Disposals: bodies that are gone, and whether they were due -------------------------------------------------------

/** @typedef {{ from: number, to: number }} Range */

/** Something is missing without which it can't tell anything. */
class CantTell extends Error {}

const rangesMax = 1_000_000;

/** Bodies of these kinds are disposed of; all others are kept forever. */
const disposableKinds = new Set([
  'text_out',
  'text_in',
  'consent',
  'schedule',
  'broadcast',
  'review',
  'export',
  'merge',
  'sign_in',
  mediaKind,
]);
const [yearsMin, yearsMax, yearsDefault] = [1, 100, 7];
/** Clocks of two machines differ. */
const clockSkewMs = 60 * 60 * 1000;

/** When leaves entered the tree, by signed checkpoints: the only times that don't come from the entries themselves. */
class SignedTimes {
  /** @type {number[]} */
  #sizes = [];
  /** The latest time among checkpoints up to each size. @type {number[]} */
  #latest = [];
  /** The earliest time among checkpoints from each size on. @type {number[]} */
  #earliest = [];

  /** A time in the future proves nothing: a clock was wrong. @param {Pick<Checkpoint, 'size' | 'time'>[]} checkpoints */
  constructor(checkpoints, now = Date.now()) {
    const timed = checkpoints
      .map(({ size, time }) => ({ size, time: Date.parse(time) }))
      .filter(({ time }) => time <= now + clockSkewMs)
      .sort((a, b) => a.size - b.size);
    let [latest, earliest] = [-Infinity, Infinity];
    for (const { size, time } of timed) {
      latest = Math.max(latest, time);
      this.#sizes.push(size);
      this.#latest.push(latest);
    }
    for (const { time } of timed.reverse()) {
      earliest = Math.min(earliest, time);
      this.#earliest.push(earliest);
    }
    this.#earliest.reverse();
  }

  /** The last time at which the leaf was not in the tree. @param {number} leaf */
  before(leaf) {
    return this.#latest[this.#upTo(leaf) - 1] ?? Number.NaN;
  }

  /** The size of the tree at that time. @param {number} leaf */
  sizeBefore(leaf) {
    return this.#sizes[this.#upTo(leaf) - 1] ?? 0;
  }

  /** The first time at which the leaf was in the tree. @param {number} leaf */
  by(leaf) {
    return this.#earliest[this.#upTo(leaf)] ?? Number.NaN;
  }

  /** How many checkpoints don't cover the leaf. @param {number} leaf */
  #upTo(leaf) {
    let [low, high] = [0, this.#sizes.length];
    while (low < high) {
      const middle = (low + high) >>> 1;
      if ((this.#sizes[middle] ?? 0) <= leaf) low = middle + 1;
      else high = middle;
    }
    return low;
  }
}

/**
 * An entry and where it is in the tree; infinity if it isn't yet.
 * @typedef {Pick<Entry, 'advisorId' | 'number' | 'kind' | 'memberId' | 'meta'> & { leaf: number }} LeafEntry
 * @typedef {{ youngest: number, years: number, holds: (LeafEntry & { holdId: unknown })[] }} DisposalRules
 */

/** An advisor's disposals, judged by the retention and the holds that were in force, and not by what they say themselves. */
class Disposals {
  /** The firm whose rules apply; null if that isn't known, and all that are given apply. @type {number | null} */
  firmId;
  #times;
  /** @type {(LeafEntry & { facts: Record<string, unknown> })[]} */
  #rules = [];
  /** @type {(Range & { by: LeafEntry })[]} */
  #ranges = [];
  #isSorted = true;
  /** @type {Map<number, DisposalRules>} */
  #judged = new Map();

  /** @param {SignedTimes} times @param {number | null} firmId */
  constructor(times, firmId) {
    this.#times = times;
    this.firmId = firmId;
  }

  /** A retention or a hold, or the advisor's first entry, which says which firm's. @param {LeafEntry} rule */
  takeRule(rule) {
    const facts = factsIn(rule.meta);
    if (rule.kind === 'retention' || rule.kind === 'hold') this.#rules.push({ ...rule, facts });
    else if (isFirst(rule) && isCount(facts.firmId)) this.firmId ??= facts.firmId;
  }

  /** @param {LeafEntry} disposal @param {Buffer | null} body */
  takeDisposal(disposal, body) {
    for (const range of disposedBy(disposal, body)) this.#ranges.push({ ...range, by: disposal });
    this.#isSorted = false;
    if (this.#ranges.length > rangesMax) throw new CantTell('more bodies were disposed of than can be counted');
  }

  /** What is wrong with the absence of an entry's body; null if it was due. @param {LeafEntry} entry */
  faultOf({ number, kind, memberId, leaf }) {
    if (!this.#isSorted) this.#ranges.sort((a, b) => a.from - b.from);
    this.#isSorted = true;
    const disposal = rangeOf(this.#ranges, number)?.by;
    if (!disposal) return 'its body was removed, and no disposal says so';
    const removed = `its body was removed by the disposal in entry ${disposal.number}`;
    if (!disposableKinds.has(kind)) return `${removed}, although such bodies are kept forever`;
    const { youngest, years, holds } = this.#judge(disposal);
    const hold = holds.find((each) => each.memberId === null || each.memberId === memberId);
    if (hold) return `${removed}, although hold ${hold.holdId} was in force`;
    if (this.#times.by(leaf) <= youngest) return null;
    return `${removed}, and no checkpoints prove that it had been kept for ${years} years`;
  }

  /** @param {LeafEntry} disposal @returns {DisposalRules} */
  #judge(disposal) {
    const known = this.#judged.get(disposal.number);
    if (known) return known;
    const signed = this.#times.sizeBefore(disposal.leaf);
    // Entries of one book are in the order of numbers. Those of two books that came between the same two checkpoints may
    // have come in either order: what keeps bodies counts only if it was there before, what frees them also if it may have.
    const isOwn = (/** @type {LeafEntry} */ rule) => rule.advisorId === disposal.advisorId;
    const wasThere = (/** @type {LeafEntry} */ rule) =>
      isOwn(rule) ? rule.number < disposal.number : rule.leaf < signed;
    const mayHaveBeen = (/** @type {LeafEntry} */ rule) =>
      isOwn(rule) ? rule.number < disposal.number : rule.leaf <= disposal.leaf;
    const before = this.#times.before(disposal.leaf);
    // Without a time it counts at once; before that time it can't free anything.
    const counts = (/** @type {{ facts: Record<string, unknown> }} */ { facts: { countsFrom } }) =>
      countsFrom === undefined || (typeof countsFrom === 'string' && Date.parse(countsFrom) <= before);
    const rules = this.#rules.filter(
      (rule) => isOwn(rule) || this.firmId === null || rule.facts.firmId === this.firmId,
    );
    let years = yearsDefault;
    for (const rule of rules.filter(({ kind }) => kind === 'retention').sort((a, b) => a.number - b.number)) {
      const set = Number(rule.facts.years);
      if (!(set >= yearsMin && set <= yearsMax)) continue;
      if (wasThere(rule)) years = counts(rule) ? set : Math.max(years, set);
      else if (mayHaveBeen(rule) && counts(rule)) years = Math.min(years, set);
    }
    const holds = rules.filter(({ kind }) => kind === 'hold').map((rule) => ({ ...rule, holdId: rule.facts.holdId }));
    const lifts = holds.filter((each) => each.facts.action === 'lifted' && mayHaveBeen(each) && counts(each));
    const lifted = new Set(lifts.map(({ holdId }) => holdId));
    const held = holds.filter((each) => each.facts.action === 'added' && wasThere(each) && !lifted.has(each.holdId));
    const youngest = new Date(before);
    youngest.setUTCFullYear(youngest.getUTCFullYear() - years);
    const judged = { youngest: youngest.getTime(), years, holds: held };
    this.#judged.set(disposal.number, judged);
    return judged;
  }
}

/** An advisor's book begins with the setting that added them. @param {LeafEntry} entry */
function isFirst({ kind, number, meta }) {
  return kind === 'setting' && number === 1 && factsIn(meta).what === 'advisor added';
}

/**
 * The entries whose bodies a disposal says it removed.
 * @param {Pick<Entry, 'kind'>} entry @param {Buffer | null} body
 * @returns {Range[]}
 */
function disposedBy({ kind }, body) {
  const ranges = kind === 'disposal' && body ? jsonIn(body) : null;
  if (!Array.isArray(ranges)) return [];
  return ranges
    .filter((range) => Array.isArray(range) && range.length === 2 && range.every(isCount))
    .map(([from, to]) => ({ from, to }));
}

/**
 * The range that has the number, among sorted ranges that don't overlap.
 * @template {Range} Found @param {Found[]} ranges @param {number} number @returns {Found | undefined}
 */
function rangeOf(ranges, number) {
  let [low, high] = [0, ranges.length];
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((ranges[middle]?.from ?? 0) <= number) low = middle + 1;
    else high = middle;
  }
  const range = ranges[low - 1];
  return range && number <= range.to ? range : undefined;
}

/** Removes a number from the ranges; false if it is in none. @param {Range[]} ranges @param {number} number */
function takeFrom(ranges, number) {
  const range = rangeOf(ranges, number);
  if (!range) return false;
  const parts = [
    { from: range.from, to: number - 1 },
    { from: number + 1, to: range.to },
  ];
  ranges.splice(ranges.indexOf(range), 1, ...parts.filter(({ from, to }) => from <= to));
  return true;
}

// --- Times: whether entries were written when they say ----------------------------------------------------------------

/**
 * All checkpoints of one size: the first that was signed, and the last.
 * @typedef {{ size: number, firstMs: number, lastMs: number }} SignedRange
 * An entry that says why the times of others are wrong: those of one advisor from one number to another that came before it.
 * @typedef {{ number: number, leaf: number, of: { advisorId: number, from: number, to: number } }} Explanation
 * Where times go back for good: the entry of a step that was accepted.
 * @typedef {Pick<Entry, 'advisorId' | 'number' | 'dateTime'> & { leaf: number }} Step
 * What entries are compared with: the latest time in each advisor's book, and that of a checkpoint or the step. Both since a step, or ever.
 * @typedef {{ latest: Map<number, number>, floorMs: number, explanation: Explanation | null }} Past
 * Findings that an entry explains: how many, and the first.
 * @typedef {{ by: string, found: number, entry: string, what: string }} ExplainedTimes
 */

/** How far apart the clocks of two nodes may be, and how long a transaction may take from its time to its turn. */
const skewMs = 60 * 1000;
/** How long an entry's transaction may have been open when a checkpoint was signed without it. */
const openMs = 5 * 60 * 1000;
/** A checkpoint with at least this many new entries may have left others for the next one (archive-tree.ts). */
const fullEntries = 5_000;

/** What an entry of the deployment's book begins with that says why times are wrong. */
const explained = 'times explained';
/** And that the database's clock was set back for good. */
const stepped = 'clock step accepted';

/** @typedef {Pick<Entry, 'advisorId' | 'number' | 'kind' | 'actor' | 'meta' | 'dateTime'> & { leaf: number }} Rule */

/**
 * Only somebody of the staff who signed in for it explains times.
 * @param {Rule} entry
 * @returns {Explanation | null}
 */
function explanationIn({ advisorId, number, kind, actor, meta, leaf }) {
  if (advisorId !== 0 || kind !== 'setting' || !actor.startsWith('staff:')) return null;
  const { what, of, via = null } = factsIn(meta);
  if (what !== explained || via !== null || !isRecord(of)) return null;
  const { advisorId: about, from, to } = of;
  return isCount(about) && isCount(from) && isCount(to) ? { number, leaf, of: { advisorId: about, from, to } } : null;
}

/**
 * Compares the times of entries, given in the order of leaves, with one another and with the checkpoints. An entry is not from before the
 * entry before it in its book, nor from before a checkpoint that doesn't cover it yet, nor from after the first that does. The last is not
 * so where the clock can be moved: it runs ahead of real time. What explains the entry of a step explains every later time that is right
 * when compared only with what came after the step: until the clock has caught up, none of them would be.
 */
class EntryTimes {
  #clockMoves;
  /** @type {Explanation[]} */
  #explanations = [];
  /** In the order of leaves. @type {Step[]} */
  #steps = [];
  /** @type {Map<Explanation, ExplainedTimes>} */
  #explained = new Map();
  /** Those that don't cover the last entry, and any that come after. @type {SignedRange[]} */
  #signed = [];
  /** All of it, and what came after the last step that is explained. @type {Past[]} */
  #pasts = [pastSince(null, Number.NEGATIVE_INFINITY)];
  #leaf = -1;
  #next = 0;
  #nextStep = 0;
  #passedSize = 0;
  /** Not a number if nothing follows, which no time is after. */
  #followingMs = Number.NaN;

  /** @param {{ clockMoves: boolean }} given */
  constructor({ clockMoves }) {
    this.#clockMoves = clockMoves;
  }

  /** The checkpoints for the next entries, and the time of the first after them. @param {SignedRange[]} ranges */
  add(ranges, followingMs = Number.NaN) {
    const timed = ranges.filter(({ firstMs }) => !Number.isNaN(firstMs)).sort((a, b) => a.size - b.size);
    this.#signed = [...this.#signed.slice(this.#next), ...timed];
    this.#next = 0;
    this.#followingMs = followingMs;
  }

  /** Before the entries that it is about, in the order of leaves; any others say nothing. @param {Rule} rule */
  take(rule) {
    const explanation = explanationIn(rule);
    if (explanation) this.#explanations.push(explanation);
    else if (rule.advisorId === 0 && rule.kind === 'setting' && factsIn(rule.meta).what === stepped)
      if (rule.leaf > Math.max(this.#leaf, this.#steps.at(-1)?.leaf ?? -1)) this.#steps.push(rule);
  }

  /** What is wrong with the entry's time, unless that is explained. @param {Entry & { leaf: number }} entry */
  faultOf(entry) {
    this.#moveTo(entry.leaf);
    this.#leaf = entry.leaf;
    const [what = null, since] = this.#pasts.map((past) => this.#compare(entry, past));
    const ofStep = since === null ? this.#pasts[1]?.explanation : null;
    const explanation = what && (this.#explanationOf(entry) ?? ofStep);
    if (!explanation) return what;
    const by = nameOf({ advisorId: 0, number: explanation.number });
    const told = this.#explained.get(explanation) ?? { by, found: 0, entry: nameOf(entry), what };
    this.#explained.set(explanation, { ...told, found: told.found + 1 });
    return null;
  }

  explained() {
    return [...this.#explained.values()];
  }

  /** @param {Step} entry */
  #explanationOf(entry) {
    return this.#explanations.find((each) => explains(each, entry));
  }

  /** @param {number} leaf */
  #moveTo(leaf) {
    for (let step = this.#steps[this.#nextStep]; step && step.leaf < leaf; step = this.#steps[this.#nextStep]) {
      this.#pass(step.leaf);
      const explanation = this.#explanationOf(step);
      if (explanation) this.#pasts = [...this.#pasts.slice(0, 1), pastSince(explanation, Date.parse(step.dateTime))];
      this.#nextStep += 1;
    }
    this.#pass(leaf);
  }

  /** @param {number} leaf */
  #pass(leaf) {
    for (let span = this.#signed[this.#next]; span && span.size <= leaf; span = this.#signed[this.#next]) {
      const isFull = span.size - this.#passedSize >= fullEntries;
      for (const past of this.#pasts) {
        if (!isFull) past.floorMs = Math.max(past.floorMs, span.firstMs);
        // Signed again at this size: by then nothing was waiting.
        if (span.lastMs > span.firstMs) past.floorMs = Math.max(past.floorMs, span.lastMs);
      }
      this.#passedSize = span.size;
      this.#next += 1;
    }
  }

  /** @param {Entry} entry @param {Past} past */
  #compare({ advisorId, dateTime }, past) {
    const timeMs = Date.parse(dateTime);
    if (Number.isNaN(timeMs)) return null;
    const beforeMs = past.latest.get(advisorId) ?? timeMs;
    past.latest.set(advisorId, Math.max(timeMs, beforeMs));
    if (timeMs < beforeMs - skewMs) return 'its time is before that of the entry before it';
    if (timeMs < past.floorMs - openMs) return 'its time is before a checkpoint that didn’t cover it';
    const ceilingMs = this.#signed[this.#next]?.firstMs ?? this.#followingMs;
    if (!this.#clockMoves && timeMs > ceilingMs + skewMs) return 'its time is after the checkpoint that covers it';
    return null;
  }
}

/** @param {Explanation | null} explanation @param {number} floorMs @returns {Past} */
function pastSince(explanation, floorMs) {
  return { latest: new Map(), floorMs, explanation };
}

/** Nobody explains what is still to come. @param {Explanation} explanation @param {Step} entry */
function explains({ leaf, of }, entry) {
  return entry.leaf < leaf && entry.advisorId === of.advisorId && entry.number >= of.from && entry.number <= of.to;
}

/** @param {ExplainedTimes} explained */
function explanationLine({ by, found, entry, what }) {
  return `${by} explains ${found} times; the first: ${entry}: ${what}`;
}

// --- Files, and the ZIP of e-mails: APPNOTE 6.3, without compression, as we write it ---------------------------------

const smallFileBytesMax = 16 * 1024 * 1024;
const pieceBytes = 1024 * 1024;

/** Opens a regular file only: no link that leads elsewhere, and no pipe that never ends. @param {string} path */
function openRegular(path) {
  try {
    const fd = openSync(path, constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0) | (constants.O_NONBLOCK ?? 0));
    const stat = fstatSync(fd);
    if (stat.isFile()) return { fd, size: stat.size };
    closeSync(fd);
    return null;
  } catch {
    return null;
  }
}

/** A whole file that should be small; null if it is missing, too large or not a regular file. @param {string} path */
function readSmall(path) {
  const file = openRegular(path);
  if (!file) return null;
  try {
    return file.size <= smallFileBytesMax ? readFileSync(file.fd) : null;
  } finally {
    closeSync(file.fd);
  }
}

/** The SHA-256 of a regular file, in hex; null if there is none. @param {string} path */
function sumOf(path) {
  const file = openRegular(path);
  if (!file) return null;
  const sum = createHash('sha256');
  try {
    for (const piece of piecesOf(file.fd)) sum.update(piece);
    return sum.digest('hex');
  } finally {
    closeSync(file.fd);
  }
}

/** What is left of a file, piece by piece. @param {number} fd */
function* piecesOf(fd) {
  for (;;) {
    const piece = Buffer.allocUnsafe(pieceBytes);
    const bytes = readSync(fd, piece);
    if (bytes === 0) return;
    yield piece.subarray(0, bytes);
  }
}

class NoZip extends Error {}

/**
 * `header` has the fields that a file's own header repeats.
 * @typedef {{ name: string, size: number, at: number, isPlain: boolean, header: Buffer }} ZippedFile
 */

/** The files of a ZIP, in the order of its directory. */
class ZipReader {
  /** The file that comes next. @type {ZippedFile | null} */
  next = null;
  fd;
  #size;
  #directory = Buffer.alloc(0);
  /** Where in the directory the file after the next one is, and how many files there are from there on. */
  #at = 0;
  #left = 0;
  /** Where in the ZIP the files so far end. Some programs read files without the directory, so nothing may be in between. */
  #filesEnd = 0;
  #directoryBegin = 0;

  /** @param {{ fd: number, size: number }} file */
  constructor({ fd, size }) {
    this.fd = fd;
    this.#size = size;
  }

  /** Finds the directory. Our ZIPs have no comment: the last 22 bytes are the record that says where it is. */
  open() {
    const end = this.#read(this.#size - 22, 22);
    if (end.readUInt32LE(0) !== 0x06054b50) throw new NoZip('it has no end');
    let [files, bytes, begin] = [end.readUInt16LE(10), end.readUInt32LE(12), end.readUInt32LE(16)];
    let directoryEnd = this.#size - 22;
    if (files === 0xffff || bytes === 0xffffffff || begin === 0xffffffff) {
      const locator = this.#read(this.#size - 42, 20);
      if (locator.readUInt32LE(0) !== 0x07064b50) throw new NoZip('it is too large to be without ZIP64');
      directoryEnd = this.#size - 98;
      if (Number(locator.readBigUInt64LE(8)) !== directoryEnd) throw new NoZip('its end of ZIP64 is elsewhere');
      const wide = this.#read(directoryEnd, 56);
      if (wide.readUInt32LE(0) !== 0x06064b50) throw new NoZip('it has no end of ZIP64');
      const number = (/** @type {number} */ at) => Number(wide.readBigUInt64LE(at));
      [files, bytes, begin] = [number(32), number(40), number(48)];
    }
    if (begin + bytes !== directoryEnd) throw new NoZip('its directory is not at its end');
    this.#directory = this.#read(begin, bytes);
    this.#directoryBegin = begin;
    this.#left = files;
    this.pass();
  }

  /** Goes on to the next file. */
  pass() {
    this.next = null;
    if (this.#left === 0) {
      const isWhole = this.#filesEnd === this.#directoryBegin && this.#at === this.#directory.length;
      if (!isWhole) throw new NoZip('it has more than the files in its directory');
      return;
    }
    this.#left -= 1;
    const record = this.#directory.subarray(this.#at);
    if (record.length < 46 || record.readUInt32LE(0) !== 0x02014b50) throw new NoZip('its directory is broken');
    const [flags, method] = [record.readUInt16LE(8), record.readUInt16LE(10)];
    const [size, begin] = [record.readUInt32LE(20), record.readUInt32LE(42)];
    const [nameBytes, extraBytes] = [record.readUInt16LE(28), record.readUInt16LE(30)];
    const extra = record.subarray(46 + nameBytes, 46 + nameBytes + extraBytes);
    this.#at += 46 + nameBytes + extraBytes;
    // Only a file's offset can be beyond 4 GiB, and then it is the only field in the ZIP64 record.
    const isFar = begin === 0xffffffff && extra.length === 12 && extra.readUInt16LE(0) === 1;
    const name = record.toString('latin1', 46, 46 + nameBytes);
    // Other programs take a different name from an extra field, and skip a comment, whatever is in it.
    if ((extraBytes > 0 && !isFar) || record.readUInt16LE(32) > 0)
      throw new NoZip(`${name} has more in its directory than a name`);
    const at = isFar ? Number(extra.readBigUInt64LE(4)) : begin;
    if (at !== this.#filesEnd) throw new NoZip(`${name} is not where the file before it ends`);
    this.#filesEnd = at + 30 + nameBytes + size;
    const isPlain = flags === 0 && method === 0 && record.readUInt32LE(24) === size;
    this.next = { name, size, at, isPlain, header: record.subarray(6, 30) };
  }

  /** Whether a file with this name is still to come. @param {string} name */
  has(name) {
    const [at, left, next, filesEnd] = [this.#at, this.#left, this.next, this.#filesEnd];
    while (this.next && this.next.name !== name) this.pass();
    const isThere = this.next !== null;
    [this.#at, this.#left, this.next, this.#filesEnd] = [at, left, next, filesEnd];
    return isThere;
  }

  /** A file's content; null if it has a different size, or is compressed. @param {ZippedFile} file @param {number} bytes */
  content({ name, size, at, isPlain, header }, bytes) {
    if (!isPlain || size !== bytes) return null;
    const content = 30 + name.length;
    const file = this.#read(at, content + bytes);
    if (file.readUInt32LE(0) !== 0x04034b50) throw new NoZip(`${name} is not where its directory says`);
    if (file.toString('latin1', 30, content) !== name) throw new NoZip(`${name} has a different name in its header`);
    if (!file.subarray(4, 28).equals(header) || file.readUInt16LE(28) !== 0)
      throw new NoZip(`the header of ${name} is not the one in its directory`);
    return file.subarray(content);
  }

  /** @param {number} at @param {number} bytes */
  #read(at, bytes) {
    if (!(at >= 0 && bytes >= 0 && at + bytes <= this.#size)) throw new NoZip('it is shorter than it says');
    const part = Buffer.alloc(bytes);
    if (readSync(this.fd, part, 0, bytes, at) < bytes) throw new NoZip('it became shorter while it was read');
    return part;
  }
}

// --- The package -----------------------------------------------------------------------------------------------------

/** Packages of the first format are checked by what it says. */
const firstFormat = 'assent-archive-package-v1';
const packageFormat = 'assent-archive-package-v2';
const formats = [firstFormat, packageFormat];
/** In the order of exit codes: as it was signed; changed, added or moved; something is missing; it can't tell. */
const verdicts = /** @type {const} */ (['intact', 'altered', 'incomplete', 'unknown']);

const [entriesFile, emailsFile, emailList] = ['entries.ndjson', 'messages.zip', 'manifest.csv'];
const lineBytesMax = 8 * 1024 * 1024;
/** With two for each disposal. */
const earlierMax = 5_000;
const faultsMax = 20;
/** Of a file that isn't ours: its name may be of any length. */
const nameCharactersMax = 100;
/** The book for entries that belong to no advisor. */
const deployment = 0;

/**
 * @typedef {{
 *   format: string, advisor: Advisor, from: string, to: string, firstNumber: number | null, lastNumber: number | null,
 *   entries: number, size: number, clockMoves?: boolean, files: Record<string, string>
 * }} Manifest
 * @typedef {{ verdict: 'altered' | 'incomplete', what: string }} Fault
 * @typedef {{ code: number, verdict: typeof verdicts[number], message: string, entries: number, faults: string[],
 *   disposed: Range[], explained: ExplainedTimes[] }} Report
 * @typedef {{ folder: string, manifest: Manifest | null, checkpoint: Checkpoint | null, checkpoints: Checkpoint[] }} Contents
 * The size up to which the examiner's checkpoints agree with the package's, and the leaves between which they part.
 * @typedef {{ agreed: number, parted: Range | null }} Fork
 */

/** The text of the manifest's note, which is signed. @param {Uint8Array} manifest @param {string} [format] */
function manifestNoteText(manifest, format = packageFormat) {
  return `${format}\n${sha256(manifest).toString('hex')}\n`;
}

/**
 * Checks a package against a public key and a checkpoint that came by a different route. Whatever it finds, it goes on as
 * far as it can, to name the first entry that is wrong.
 * @param {{
 *   packageDir: string, checkpointFile: string, pubkeyFile: string, progress?: (done: number, total: number) => void
 * }} given
 * @returns {Report}
 */
function verifyPackage({ packageDir, checkpointFile, pubkeyFile, progress = () => {} }) {
  const findings = new Findings();
  try {
    const keys = readKeys(pubkeyFile);
    const contents = readPackage(packageDir, keys, findings);
    findings.contents = contents;
    const fork = compareCheckpoints(checkpointFile, keys, contents, findings);
    checkEntries(contents, fork, findings, progress);
    compareFiles(contents, findings);
  } catch (error) {
    findings.doubt(error instanceof CantTell ? error.message : `it can’t be read: ${error}`);
  }
  return findings.report();
}

/** What was found so far. Only the first of many faults are kept. */
class Findings {
  entries = 0;
  /** Entries that are newer than the examiner's checkpoint. */
  later = 0;
  /** @type {Contents | null} */
  contents = null;
  /** About entries. @type {Fault[]} */
  faults = [];
  /** About whole files, by name: they are reported only if no entry explains them. @type {Map<string, Fault>} */
  fileFaults = new Map();
  /** @type {string | null} */
  doubted = null;
  /** Missing bodies that were due. @type {Range[]} */
  disposed = [];
  /** @type {ExplainedTimes[]} */
  explained = [];
  /** The last fault about a missing body, which those after it can join. */
  #missing = /** @type {{ fault: Fault, name: string, what: string, from: number, to: number } | null} */ (null);

  /** @param {Fault['verdict']} verdict @param {string} what */
  add(verdict, what) {
    this.faults.push({ verdict, what });
  }

  /** One fault for neighbors, so that all of them are told. @param {Entry} entry @param {string} what */
  addMissing({ advisorId, number }, what) {
    const last = this.#missing;
    if (last && last.what === what && last.to === number - 1) {
      last.to = number;
      last.fault.what = `${last.name}: ${what}; the same is true of the ${last.to - last.from} after it`;
      return;
    }
    const name = nameOf({ advisorId, number });
    this.add('incomplete', `${name}: ${what}`);
    this.#missing = { fault: /** @type {Fault} */ (this.faults.at(-1)), name, what, from: number, to: number };
  }

  /** @param {number} number */
  addDisposed(number) {
    const last = this.disposed.at(-1);
    if (last?.to === number - 1) last.to = number;
    else this.disposed.push({ from: number, to: number });
  }

  /** @param {Fault['verdict']} verdict @param {string} file @param {string} what */
  addFile(verdict, file, what) {
    if (!this.fileFaults.has(file)) this.fileFaults.set(file, { verdict, what: `${file} ${what}` });
  }

  /** @param {string} why */
  doubt(why) {
    this.doubted ??= why;
  }

  get isFull() {
    return this.faults.length >= faultsMax;
  }

  /** @returns {Report} */
  report() {
    const faults = this.faults.length > 0 ? this.faults : [...this.fileFaults.values()];
    const worst = faults.find(({ verdict }) => verdict === 'altered') ?? faults[0];
    const verdict = worst?.verdict ?? (this.doubted ? 'unknown' : 'intact');
    const more = faults.length > 1 ? ` (and ${faults.length - 1} more)` : '';
    const message = worst ? `${worst.what}${more}; ${this.entries} entries checked` : (this.doubted ?? this.#intact());
    const told = faults.slice(0, faultsMax).map(({ what }) => harmless(what));
    return {
      code: verdicts.indexOf(verdict),
      verdict,
      message: harmless(message),
      entries: this.entries,
      faults: told,
      disposed: this.disposed,
      explained: this.explained,
    };
  }

  #intact() {
    const { manifest, checkpoint } = this.contents ?? {};
    const { id, name } = manifest?.advisor ?? { id: 0, name: '' };
    const span = manifest?.firstNumber ? `, ${manifest.firstNumber} to ${manifest.lastNumber},` : '';
    const later = this.later > 0 ? `; ${this.later} of them are newer than the checkpoint given` : '';
    return `${this.entries} entries of advisor ${id} (${name})${span} are as they were signed at ${checkpoint?.time}${later}${this.#due()}`;
  }

  #due() {
    if (this.disposed.length === 0) return '';
    const ranges = this.disposed.map(({ from, to }) => (from === to ? `${from}` : `${from} to ${to}`));
    const more = ranges.length > faultsMax ? ` and ${ranges.length - faultsMax} more ranges` : '';
    return `; the bodies of ${ranges.slice(0, faultsMax).join(', ')}${more} were disposed of, and were due`;
  }
}

/** Without characters that could control a terminal. @param {string} text */
function harmless(text) {
  return text.replace(/[\p{Cc}\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]/gu, '?');
}

// The key, the manifest and the checkpoints

/** One key per line: an archive whose key has changed has several. @param {string} path @returns {Verifier[]} */
function readKeys(path) {
  // The examiner's own file may be a link.
  const text = readSmall(realPath(path))?.toString() ?? '';
  const keys = text.split('\n').flatMap((line) => readVerifier(line.trim()) ?? []);
  if (keys.length === 0) throw new CantTell(`${path} is not a public key: a key is one line, NAME+ID+KEY`);
  return keys;
}

/** @param {string} path */
function realPath(path) {
  try {
    return realpathSync(path);
  } catch {
    return path;
  }
}

/** @param {string} folder @param {Verifier[]} keys @param {Findings} findings @returns {Contents} */
function readPackage(folder, keys, findings) {
  const names = ['manifest.json', 'manifest.note', 'checkpoint'];
  const [manifestBytes, manifestNote, note] = names.map((name) => readSmall(join(folder, name)));
  if (!manifestBytes && !manifestNote && !note) throw new CantTell(`${folder} is not a package, or can’t be read`);
  const signed = manifestNote && firstOf(keys, (key) => openNote(manifestNote.toString(), key));
  const checkpoint = (note && firstOf(keys, (key) => readCheckpoint(note.toString(), key))) ?? null;
  if ((manifestNote || note) && !signed && !checkpoint)
    throw new CantTell(`nothing in the package is signed by the key of ${keys.map(({ name }) => name).join(', ')}`);
  [manifestBytes, manifestNote, note].forEach((bytes, at) => {
    if (!bytes) findings.addFile('incomplete', names[at] ?? '', 'is missing');
  });
  if (manifestNote && !signed) findings.addFile('altered', 'manifest.note', 'is not signed by the key');
  if (note && !checkpoint) findings.addFile('altered', 'checkpoint', 'is not signed by the key');
  const manifest = manifestBytes ? manifestIn(manifestBytes) : null;
  if (manifestBytes && signed && signed !== manifestNoteText(manifestBytes, manifest?.format))
    findings.addFile('altered', 'manifest.json', 'is not the one that was signed');
  if (manifestBytes && !manifest) findings.addFile('altered', 'manifest.json', 'is not a manifest');
  if (manifest && checkpoint && manifest.size !== checkpoint.size)
    findings.addFile('altered', 'checkpoint', 'is not the one that the manifest names');
  const checkpoints = checkpoint ? [checkpoint, ...earlierCheckpoints(folder, keys, checkpoint, findings)] : [];
  return { folder, manifest, checkpoint, checkpoints };
}

/** @template Given, Found @param {Given[]} given @param {(each: Given) => Found | null} find @returns {Found | null} */
function firstOf(given, find) {
  for (const each of given) {
    const found = find(each);
    if (found !== null) return found;
  }
  return null;
}

/** @param {Buffer} bytes @returns {Manifest | null} */
function manifestIn(bytes) {
  const manifest = jsonIn(bytes);
  if (!isRecord(manifest) || !formats.some((format) => format === manifest.format)) return null;
  const { advisor, firstNumber, lastNumber, entries, size, clockMoves, files } = manifest;
  if (!isRecord(advisor) || !isCount(advisor.id) || typeof advisor.name !== 'string') return null;
  if (!isCount(entries) || !isCount(size) || !isRecord(files)) return null;
  if (clockMoves !== undefined && typeof clockMoves !== 'boolean') return null;
  const isEmpty = firstNumber === null && lastNumber === null;
  if (!isEmpty && !(isCount(firstNumber) && isCount(lastNumber) && firstNumber <= lastNumber)) return null;
  if (!Object.entries(files).every(([name, sum]) => isFileName(name) && typeof sum === 'string')) return null;
  return /** @type {Manifest} */ (/** @type {unknown} */ (manifest));
}

/** A name can't lead out of the folder. @param {string} name */
function isFileName(name) {
  return /^[a-z0-9][a-z0-9.-]{0,99}$/.test(name);
}

/**
 * The package's earlier checkpoints, with a proof that its tree begins with theirs.
 * @param {string} folder @param {Verifier[]} keys @param {Checkpoint} checkpoint @param {Findings} findings
 */
function earlierCheckpoints(folder, keys, checkpoint, findings) {
  /** @type {Checkpoint[]} */
  const earlier = [];
  /** @type {Map<number, Buffer[]>} */
  const proofs = new Map();
  for (const line of (readSmall(join(folder, 'consistency.ndjson'))?.toString() ?? '').split('\n')) {
    const given = jsonIn(line);
    if (!isRecord(given) || !isCount(given.from) || given.to !== checkpoint.size || !isProof(given.proof)) continue;
    proofs.set(given.from, given.proof.map(bytesOf));
  }
  const text = readSmall(join(folder, 'earlier-checkpoints'))?.toString() ?? '';
  for (const note of notesOf(text.split('\n\n')).slice(0, earlierMax)) {
    const older = firstOf(keys, (key) => readCheckpoint(note, key));
    const proof = older && proofs.get(older.size);
    if (!proof) continue;
    if (isConsistent({ older, newer: checkpoint, proof })) earlier.push(older);
    else
      findings.addFile(
        'altered',
        'earlier-checkpoints',
        `has one of ${older.size} entries that is from a different tree`,
      );
  }
  return earlier;
}

/**
 * Compares the examiner's checkpoints, one or many in a file, with the package's. If they are from two trees, it finds the
 * range of leaves in which the trees part.
 * @param {string} path @param {Verifier[]} keys @param {Contents} contents @param {Findings} findings
 * @returns {Fork}
 */
function compareCheckpoints(path, keys, { checkpoint, checkpoints }, findings) {
  const roots = new Map(checkpoints.map(({ size, root }) => [size, root]));
  let [notes, signed, largest] = [0, 0, 0];
  const [agreed, parted] = [new Set([0]), new Set()];
  for (const note of notesInFile(path, findings)) {
    notes += 1;
    // A file may have a million: once one is known to be signed with this key, those that tell nothing new are skipped.
    const claimed = Number(note.split('\n', 2)[1]);
    if (signed > 0 && !roots.has(claimed)) continue;
    const given = firstOf(keys, (key) => readCheckpoint(note, key));
    if (!given) continue;
    signed += 1;
    largest = Math.max(largest, given.size);
    const own = roots.get(given.size);
    if (own) (own.equals(given.root) ? agreed : parted).add(given.size);
  }
  if (notes === 0) findings.doubt(`${path} has no checkpoint`);
  else if (signed === 0) findings.doubt(`no checkpoint in ${path} is signed by the key`);
  else if (agreed.size === 1 && parted.size === 0) findings.doubt(unlinked(largest, checkpoint?.size ?? 0));
  if (parted.size === 0) return { agreed: Math.max(...agreed), parted: null };
  const to = Math.min(...parted);
  const from = Math.max(...[...agreed].filter((size) => size < to));
  findings.addFile('altered', 'checkpoint', `and the one given are from two trees: both were signed for ${to} entries`);
  return { agreed: from, parted: { from, to } };
}

/** @param {number} given @param {number} own */
function unlinked(given, own) {
  const ours = `the package’s, of ${own}`;
  return given > own
    ? `the checkpoint given, of ${given} entries, is newer than ${ours}: give one from the same time or earlier`
    : `no proof in the package leads from the checkpoint given, of ${given} entries, to ${ours}`;
}

/** @param {string} path @param {Findings} findings @returns {Generator<string>} */
function* notesInFile(path, findings) {
  const decoder = new TextDecoder();
  let [rest, fd] = ['', -1];
  try {
    fd = openSync(path, 'r');
    for (const piece of piecesOf(fd)) {
      const parts = (rest + decoder.decode(piece, { stream: true })).split('\n\n');
      // The last part may be incomplete, and the one before it may be the text that it signs.
      rest = parts.splice(-2).join('\n\n').slice(-noteCharactersMax);
      yield* notesOf([...parts, rest.split('\n\n', 1)[0] ?? '']);
    }
  } catch {
    findings.doubt(`${path} can’t be read`);
  } finally {
    if (fd >= 0) closeSync(fd);
  }
  yield* notesOf(rest.split('\n\n'));
}

// The entries

/**
 * @param {Contents} contents @param {Fork} fork @param {Findings} findings
 * @param {(done: number, total: number) => void} progress
 */
function checkEntries(contents, fork, findings, progress) {
  const { folder, checkpoint } = contents;
  if (!checkpoint) return;
  const file = openRegular(join(folder, entriesFile));
  // Also if the manifest doesn't list it: nothing else shows that entries are missing.
  if (!file) return findings.addFile('incomplete', entriesFile, 'is missing');
  const walk = new Walk(contents, checkpoint, fork, findings);
  let read = 0;
  try {
    for (const line of linesIn(file.fd)) {
      if (findings.isFull) break;
      walk.take(line);
      read += line.length;
      progress(read, file.size);
    }
    walk.end();
  } finally {
    walk.close();
    closeSync(file.fd);
  }
}

/** With their ends. @param {number} fd */
function* linesIn(fd) {
  let rest = Buffer.alloc(0);
  for (const piece of piecesOf(fd)) {
    const text = Buffer.concat([rest, piece]);
    let from = 0;
    for (let end = text.indexOf(10); end >= 0; end = text.indexOf(10, from)) {
      yield text.subarray(from, end + 1);
      from = end + 1;
    }
    rest = text.subarray(from);
    if (rest.length > lineBytesMax) throw new CantTell(`a line of ${entriesFile} is longer than any entry`);
  }
  if (rest.length > 0) yield rest;
}

/** Goes through the lines in order. */
class Walk {
  #tree;
  #findings;
  #fork;
  /** @type {number | null} */
  #advisorId;
  #sequence;
  #outcomes;
  #emails;
  /** By entries that come first. */
  #disposals;
  #times;
  /** The first entry after the trees part. @type {Entry | null} */
  #parting = null;

  /** @param {Contents} contents @param {Checkpoint} checkpoint @param {Fork} fork @param {Findings} findings */
  constructor({ folder, manifest, checkpoints }, checkpoint, fork, findings) {
    this.#tree = new Inclusion(checkpoint);
    this.#findings = findings;
    this.#fork = fork;
    this.#advisorId = manifest?.advisor.id ?? null;
    this.#sequence = new Sequence(manifest, findings);
    this.#outcomes = new Outcomes(manifest?.format === firstFormat, findings);
    this.#emails = manifest && emailsFile in manifest.files ? new Emails(folder, manifest, findings) : null;
    this.#disposals = new Disposals(new SignedTimes(checkpoints), null);
    this.#times = timesFor(manifest, checkpoints);
  }

  /** @param {Buffer} bytes */
  take(bytes) {
    const line = lineIn(bytes);
    const isExtra = line?.about !== undefined;
    if (!isExtra) this.#findings.entries += 1;
    const isProven = line !== null && this.#tree.has(entryHash(line.entry), line.leaf, line.proof);
    const isShared = line?.about === 'rule' && line.entry.advisorId === deployment;
    if (isProven && !isShared) this.#advisorId ??= line.entry.advisorId;
    if (!isProven && isExtra) this.#findings.add('altered', `${nameOf(line.entry)}: it was altered`);
    else if (!isProven) this.#sequence.doubt(line?.entry.number ?? null);
    else if (line.about === 'rule' && (isShared || line.entry.advisorId === this.#advisorId))
      this.#takeRule({ ...line.entry, leaf: line.leaf });
    else if (line.entry.advisorId !== this.#advisorId)
      this.#findings.add('altered', `${nameOf(line.entry)}: it was inserted, and is another advisor’s`);
    else if (isExtra || this.#sequence.take(line.entry)) this.#takeProven(line, isExtra);
  }

  /** @param {Entry & { leaf: number }} rule */
  #takeRule(rule) {
    this.#disposals.takeRule(rule);
    this.#times?.take(rule);
  }

  /** @param {Line} line @param {boolean} isExtra */
  #takeProven(line, isExtra) {
    const { entry, leaf } = line;
    const untimely = !isExtra && this.#times?.faultOf({ ...entry, leaf });
    if (untimely) this.#findings.add('altered', `${nameOf(entry)}: ${untimely}`);
    const { parted, agreed } = this.#fork;
    if (parted && leaf >= parted.from && leaf < parted.to) this.#parting ??= entry;
    if (!isExtra && leaf >= agreed) this.#findings.later += 1;
    const salt = line.salt === null ? null : bytesOf(line.salt);
    const body = line.body === null ? null : bytesOf(line.body);
    const fault = bodyFault(line, salt, body);
    if (fault) this.#findings.add('altered', `${nameOf(entry)}: ${fault}`);
    if (fault) return this.#sequence.distrust(entry.number);
    if (isExtra) return this.#disposals.takeDisposal({ ...entry, leaf }, body);
    if (!body && !isBodiless(entry)) this.#takeMissing({ ...entry, leaf });
    this.#outcomes.take(line, this.#sequence);
    this.#emails?.compare({ entry, leaf, salt, body, outcome: line.outcome }, this.#sequence);
  }

  /** An entry without its body. @param {Entry & { leaf: number }} entry */
  #takeMissing(entry) {
    const fault = this.#disposals.faultOf(entry);
    if (fault === null) return this.#findings.addDisposed(entry.number);
    this.#sequence.distrust(entry.number);
    this.#findings.addMissing(entry, fault);
  }

  end() {
    this.#findings.explained = this.#times?.explained() ?? [];
    if (!this.#findings.isFull) this.#sequence.end();
    if (!this.#findings.isFull) this.#outcomes.end(this.#sequence);
    if (!this.#findings.isFull) this.#emails?.end(this.#sequence);
    const { parted } = this.#fork;
    if (!parted) return;
    const signedTwice = `the tree of ${parted.to} entries was signed twice, with different roots`;
    this.#findings.add(
      'altered',
      this.#parting ? `${nameOf(this.#parting)}, or one after it: ${signedTwice}` : signedTwice,
    );
  }

  close() {
    this.#emails?.close();
  }
}

/**
 * Packages from before that don't say whether the clock can be moved, and nothing explains their times.
 * @param {Manifest | null} manifest @param {Checkpoint[]} checkpoints
 */
function timesFor(manifest, checkpoints) {
  if (manifest?.clockMoves === undefined) return null;
  /** @type {Map<number, SignedRange>} */
  const ranges = new Map();
  for (const { size, time } of checkpoints) {
    const timeMs = Date.parse(time);
    if (Number.isNaN(timeMs)) continue;
    const { firstMs, lastMs } = ranges.get(size) ?? { firstMs: timeMs, lastMs: timeMs };
    ranges.set(size, { size, firstMs: Math.min(firstMs, timeMs), lastMs: Math.max(lastMs, timeMs) });
  }
  const times = new EntryTimes({ clockMoves: manifest.clockMoves });
  times.add([...ranges.values()]);
  return times;
}

/** Compares the numbers with those that should come: from the first to the last, without gaps. */
class Sequence {
  #findings;
  #first;
  #last;
  /** @type {number | null} */
  #next;
  /** @type {number | null} */
  #advisorId;
  /** @type {Range[]} */
  #gaps = [];
  #distrusted = new Set();
  /** A line that is not proven, and the number that it claims: the next line tells what it is. */
  #doubtful = /** @type {{ claimed: number | null } | null} */ (null);

  /** @param {Manifest | null} manifest @param {Findings} findings */
  constructor(manifest, findings) {
    this.#findings = findings;
    this.#advisorId = manifest?.advisor.id ?? null;
    // Without a manifest, it begins with the first line; a period without entries ends before it begins.
    this.#next = manifest ? (manifest.firstNumber ?? 1) : null;
    this.#first = this.#next ?? 0;
    this.#last = manifest ? (manifest.lastNumber ?? 0) : Number.MAX_SAFE_INTEGER;
  }

  /** Whether a proven entry is where it belongs. @param {{ advisorId: number, number: number }} entry */
  take({ advisorId, number }) {
    this.#advisorId ??= advisorId;
    this.#settle(number, true);
    const next = this.#next ?? number;
    if (number < this.#first || number > this.#last) return this.#alter(number, 'it was inserted');
    if (number < next) return this.#alter(number, takeFrom(this.#gaps, number) ? 'it was moved' : 'it appears twice');
    if (number > next) this.#gap(next, number - 1);
    this.#next = number + 1;
    return true;
  }

  /** A line that is not an entry of the tree. @param {number | null} claimed */
  doubt(claimed) {
    this.#settle(claimed, false);
    this.#doubtful = { claimed };
  }

  /** @param {number} number */
  distrust(number) {
    this.#distrusted.add(number);
  }

  /** @param {number} number */
  isSound(number) {
    return !this.#distrusted.has(number) && !rangeOf(this.#gaps, number);
  }

  end() {
    this.#settle(null, false);
    const isOpen = this.#last === Number.MAX_SAFE_INTEGER;
    if (!isOpen && this.#next !== null && this.#next <= this.#last) this.#gap(this.#next, this.#last);
    for (const { from, to } of this.#gaps.slice(0, faultsMax)) {
      const more = to > from ? `, and the ${to - from} after it` : '';
      this.#findings.add('incomplete', `${this.#name(from)}: it was removed${more}`);
    }
  }

  /**
   * If the next line is a proven entry that was expected anyway, the line in doubt was inserted. Otherwise it is an entry
   * that was altered: the one it claims to be if the next line continues from there, or else the one that was expected.
   * @param {number | null} following @param {boolean} isProven
   */
  #settle(following, isProven) {
    if (!this.#doubtful) return;
    const { claimed } = this.#doubtful;
    this.#doubtful = null;
    const next = this.#next ?? claimed ?? 1;
    const isExtra = next > this.#last || (isProven && following === next);
    if (isExtra) return void this.#alter(claimed ?? next, 'it was inserted');
    const fits = claimed !== null && claimed >= next && claimed <= this.#last;
    const number = fits && (following === null || following === claimed + 1) ? claimed : next;
    if (number > next) this.#gap(next, number - 1);
    this.#next = number + 1;
    this.#alter(number, 'it was altered');
  }

  /** @param {number} from @param {number} to */
  #gap(from, to) {
    if (this.#gaps.length >= rangesMax) throw new CantTell('more entries are missing than can be counted');
    this.#gaps.push({ from, to });
  }

  /** @param {number} number @param {string} what @returns {false} */
  #alter(number, what) {
    this.distrust(number);
    this.#findings.add('altered', `${this.#name(number)}: ${what}`);
    return false;
  }

  get advisorId() {
    return this.#advisorId ?? 0;
  }

  /** @param {number} number */
  #name(number) {
    return nameOf({ advisorId: this.advisorId, number });
  }
}

/**
 * Compares the outcome next to each text with the entry that it comes from: the last one about the text in the package. It
 * comes after the text, and may come after the package.
 */
class Outcomes {
  #findings;
  #isFirstFormat;
  /** The number of the first entry in the package. @type {number | null} */
  #first = null;
  /** Outcomes whose entries are still to come, by the number of the text. @type {Map<number, Outcome>} */
  #named = new Map();

  /** @param {boolean} isFirstFormat @param {Findings} findings */
  constructor(isFirstFormat, findings) {
    this.#isFirstFormat = isFirstFormat;
    this.#findings = findings;
  }

  /** @param {Line} line @param {Sequence} sequence */
  take({ entry, outcome }, sequence) {
    this.#first ??= entry.number;
    if (outcome && entry.kind === 'text_out') this.#named.set(entry.number, outcome);
    else if (outcome) this.#alter(entry.advisorId, entry.number);
    const found = outcomeOf(entry);
    if (found) this.#settle(found.text, found.outcome, sequence);
  }

  /** @param {number} text @param {Outcome} outcome @param {Sequence} sequence */
  #settle(text, outcome, sequence) {
    const named = this.#named.get(text);
    // If the text names a later one, this one was not the last.
    if (named && named.number > outcome.number) return;
    this.#named.delete(text);
    const isSame = named && isSameOutcome(named, outcome, this.#isFirstFormat);
    if (!isSame && text >= (this.#first ?? 0) && sequence.isSound(text)) this.#alter(sequence.advisorId, text);
  }

  /** @param {Sequence} sequence */
  end(sequence) {
    for (const [text, { number }] of this.#named)
      if (sequence.isSound(number) && !this.#findings.isFull) this.#alter(sequence.advisorId, text);
  }

  /** @param {number} advisorId @param {number} number */
  #alter(advisorId, number) {
    this.#findings.add('altered', `${nameOf({ advisorId, number })}: the outcome next to it was altered`);
  }
}

/** Compares the package's e-mails with those that its entries make. */
class Emails {
  #findings;
  #manifest;
  /** @type {ZipReader | null} */
  #zip = null;
  /** The list of e-mails, as it should be. */
  #list = createHash('sha256');
  #listBytes = 0;

  /** @param {string} folder @param {Manifest} manifest @param {Findings} findings */
  constructor(folder, manifest, findings) {
    this.#findings = findings;
    this.#manifest = manifest;
    this.#addToList(emailListLine());
    const file = openRegular(join(folder, emailsFile));
    if (!file) return;
    this.#zip = new ZipReader(file);
    this.#reading((zip) => zip.open());
  }

  /**
   * Files and entries come in the same order.
   * @param {{ entry: Entry, leaf: number, salt: Buffer | null, body: Buffer | null, outcome: Outcome | null }} given
   * @param {Sequence} sequence
   */
  compare({ entry, leaf, salt, body, outcome }, sequence) {
    if (!isEmail(entry)) return;
    const { advisor, lastNumber, format } = this.#manifest;
    const of = { advisor, lastNumber: lastNumber ?? 0, isFirstFormat: format === firstFormat };
    const email = body && emailOf({ ...of, entry, leaf, salt, body, outcome });
    this.#addToList(emailListLine({ entry, leaf, email }));
    if (!email) return;
    this.#reading((zip) => {
      this.#passUntil(email.name, zip, sequence);
      const file = zip.next;
      if (file?.name !== email.name) return this.#findings.add('incomplete', `${nameOf(entry)}: its e-mail is missing`);
      if (!zip.content(file, email.bytes.length)?.equals(email.bytes))
        this.#findings.add('altered', `${nameOf(entry)}: its e-mail was altered`);
      zip.pass();
    });
  }

  /** @param {Sequence} sequence */
  end(sequence) {
    this.#reading((zip) => {
      this.#passUntil(emailList, zip, sequence);
      const file = zip.next;
      if (file?.name === emailList) {
        const list = zip.content(file, this.#listBytes);
        // If an entry is wrong, its line can't be made again.
        if (this.#findings.faults.length === 0 && !(list && sha256(list).equals(this.#list.digest())))
          this.#findings.add('altered', `${emailsFile}: its ${emailList} was altered`);
        zip.pass();
      } else this.#findings.addFile('incomplete', emailsFile, `has no ${emailList}`);
      while (zip.next && !this.#findings.isFull) this.#passInserted(zip, sequence);
    });
  }

  close() {
    if (this.#zip) closeSync(this.#zip.fd);
    this.#zip = null;
  }

  /** @param {string} line */
  #addToList(line) {
    this.#list.update(line);
    this.#listBytes += Buffer.byteLength(line);
  }

  /**
   * Passes what comes before the file with this name. If there is none, a larger name is that of a later e-mail, and stays.
   * @param {string} name @param {ZipReader} zip @param {Sequence} sequence
   */
  #passUntil(name, zip, sequence) {
    let isThere = false;
    while (zip.next && zip.next.name !== name && !this.#findings.isFull) {
      if (zip.next.name > name && !isThere) isThere = zip.has(name);
      if (zip.next.name > name && !isThere) return;
      this.#passInserted(zip, sequence);
    }
  }

  /**
   * A file that no entry explains was inserted, unless the entry in its name is missing or not trusted.
   * @param {ZipReader} zip @param {Sequence} sequence
   */
  #passInserted(zip, sequence) {
    const { name } = zip.next ?? { name: '' };
    if (sequence.isSound(Number.parseInt(name, 10)))
      this.#findings.add('altered', `${emailsFile}: ${name.slice(0, nameCharactersMax)} was inserted`);
    zip.pass();
  }

  /** Stops with a ZIP that can't be read. @param {(zip: ZipReader) => void} read */
  #reading(read) {
    try {
      if (this.#zip) read(this.#zip);
    } catch (error) {
      if (!(error instanceof NoZip)) throw error;
      this.#findings.addFile('altered', emailsFile, `is not a ZIP of ours: ${error.message}`);
      this.close();
    }
  }
}

/** @param {Contents} contents @param {Findings} findings */
function compareFiles({ folder, manifest }, findings) {
  for (const [name, expected] of Object.entries(manifest?.files ?? {})) {
    const sum = sumOf(join(folder, name));
    if (sum === null) findings.addFile('incomplete', name, 'is missing');
    else if (sum !== expected) findings.addFile('altered', name, 'is not the file that was signed');
  }
}

// --- The program -----------------------------------------------------------------------------------------------------

process.exitCode = run(process.argv.slice(2));

/** @param {string[]} args */
function run(args) {
  const given = optionsIn(args);
  if (!given) {
    process.stderr.write('usage: node verify.mjs --package DIR --checkpoint FILE --pubkey FILE\n');
    return verdicts.indexOf('unknown');
  }
  const { code, verdict, message, faults, explained } = verifyPackage({ ...given, progress: progressShown() });
  process.stdout.write(`${verdict}: ${message}\n`);
  for (const fault of faults.slice(1)) process.stderr.write(`${fault}\n`);
  for (const each of explained) process.stderr.write(`${explanationLine(each)}\n`);
  return code;
}

/** @param {string[]} args */
function optionsIn(args) {
  const option = /** @type {const} */ ({ type: 'string' });
  try {
    const { values } = parseArgs({ args, options: { package: option, checkpoint: option, pubkey: option } });
    const { package: packageDir, checkpoint: checkpointFile, pubkey: pubkeyFile } = values;
    return packageDir && checkpointFile && pubkeyFile ? { packageDir, checkpointFile, pubkeyFile } : null;
  } catch {
    return null;
  }
}

/** Shows each percent on a terminal. */
function progressShown() {
  let shown = 0;
  return (/** @type {number} */ done, /** @type {number} */ total) => {
    const percent = Math.floor((100 * done) / total);
    if (!process.stderr.isTTY || percent === shown) return;
    shown = percent;
    process.stderr.write(`\rChecking ${percent} %${done < total ? '' : '\n'}`);
  };
}
