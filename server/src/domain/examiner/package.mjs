// --- The package -----------------------------------------------------------------------------------------------------

import { createHash } from 'node:crypto';
import { closeSync, openSync, realpathSync } from 'node:fs';
import { join } from 'node:path';
import { CantTell, Disposals, rangeOf, rangesMax, SignedTimes, takeFrom } from './disposals.mjs';
import { emailListLine, emailOf, isEmail } from './emails.mjs';
import {
  bodyFault,
  bytesOf,
  entryHash,
  isBodiless,
  isCount,
  isProof,
  isRecord,
  isSameOutcome,
  jsonIn,
  lineIn,
  nameOf,
  outcomeOf,
} from './entries.mjs';
import { noteCharactersMax, notesOf, openNote, readCheckpoint, readVerifier } from './notes.mjs';
import { EntryTimes } from './times.mjs';
import { Inclusion, isConsistent, sha256 } from './tree.mjs';
import { NoZip, openRegular, piecesOf, readSmall, sumOf, ZipReader } from './zip.mjs';

/** @import { Range } from './disposals.mjs' */
/** @import { Advisor } from './emails.mjs' */
/** @import { Entry, Line, Outcome } from './entries.mjs' */
/** @import { Checkpoint, Verifier } from './notes.mjs' */
/** @import { ExplainedTimes, SignedRange } from './times.mjs' */

/** Packages of the first format are checked by what it says. */
const firstFormat = 'assent-archive-package-v1';
export const packageFormat = 'assent-archive-package-v2';
const formats = [firstFormat, packageFormat];
/** In the order of exit codes: as it was signed; changed, added or moved; something is missing; it can't tell. */
export const verdicts = /** @type {const} */ (['intact', 'altered', 'incomplete', 'unknown']);

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
export function manifestNoteText(manifest, format = packageFormat) {
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
export function verifyPackage({ packageDir, checkpointFile, pubkeyFile, progress = () => {} }) {
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
