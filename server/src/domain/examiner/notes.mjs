// --- Signed notes and checkpoints: C2SP signed-note, tlog-checkpoint --------------------------------------------------

import { createPublicKey, verify as verifySignature } from 'node:crypto';
import { hashBytes, sha256 } from './tree.mjs';

/** Of a whole note. A longer one could have so many signatures over so long a text that checking them takes hours. */
export const noteCharactersMax = 16 * 1024;

const ed25519 = Buffer.from([1]);
/** The DER that comes before the 32 bytes of an Ed25519 public key. */
const publicKeyPrefix = Buffer.from('302a300506032b6570032100', 'hex');

/** @typedef {{ name: string, id: Buffer, key: Buffer, publicKey: import('node:crypto').KeyObject }} Verifier */

/**
 * The four bytes that tell which key made a signature.
 * @param {string} name @param {Uint8Array} key
 */
export function keyIdOf(name, key) {
  return sha256(Buffer.concat([Buffer.from(`${name}\n`), ed25519, key])).subarray(0, 4);
}

/**
 * Reads a public key, a line of text: NAME+ID+KEY.
 * @param {string} text
 * @returns {Verifier | null}
 */
export function readVerifier(text) {
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
export function signaturesIn(note, { name, id }) {
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
export function openNote(note, verifier) {
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
export function readCheckpoint(note, verifier) {
  const text = openNote(note, verifier);
  return text === null ? null : checkpointIn(text, { name: verifier.name, note });
}

/**
 * The checkpoint in a text that was signed under this name.
 * @param {string} text @param {{ name: string, note: string }} signed
 * @returns {Checkpoint | null}
 */
export function checkpointIn(text, { name, note }) {
  const [origin = '', size = '', root = '', ...rest] = text.split('\n');
  const bytes = Buffer.from(root, 'base64');
  if (origin !== name || !/^(0|[1-9]\d{0,15})$/.test(size) || bytes.length !== hashBytes) return null;
  const time = rest.find((line) => line.startsWith('time '))?.slice('time '.length) ?? '';
  return { origin, size: Number(size), root: bytes, time, note };
}

/** The notes in a text that was split at empty lines: they separate, in turn, a text and its signatures. @param {string[]} parts */
export function notesOf(parts) {
  return parts.flatMap((part, at) => {
    const text = parts[at - 1];
    return text !== undefined && part.startsWith('— ') ? `${text}\n\n${part.trimEnd()}\n` : [];
  });
}
