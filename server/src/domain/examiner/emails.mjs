// --- The e-mails of a package ----------------------------------------------------------------------------------------

import { hash } from 'node:crypto';
import { entryHash, factsIn, isRecord, mediaKind, nameIn } from './entries.mjs';

/** @import { Entry, Outcome } from './entries.mjs' */
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
export function emailOf({ advisor, lastNumber, entry, leaf, salt, body, outcome, isFirstFormat = false }) {
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
export function emailListLine(given) {
  if (!given) return `file,sha256,entry,leaf,kind,time${lineEnd}`;
  const { entry, leaf, email } = given;
  // If the body was disposed of, there is no e-mail, and the line says that there was one.
  const file = email ? `${email.name},${hash('sha256', email.bytes)}` : ',';
  return `${file},${entry.number},${leaf},${entry.kind},${entry.dateTime}${lineEnd}`;
}

/** @param {Entry} entry */
export function isEmail(entry) {
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
