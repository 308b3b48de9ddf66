import type { ExportedRow } from '../store/address-book/contact-exports.ts';
import type { ContactFields } from '../store/address-book/contacts.ts';
import type { Db } from '../store/database/db.ts';
import type { ReceiptRow } from '../store/delivery/receipt-moves.ts';
import type { LineType } from '../store/texting/number-lookups.ts';
import type { TextKind } from '../store/texting/texts.ts';
import type { Verifier } from './examiner/notes.mjs';

/** What the domain needs from the outside world, where there can be more than one implementation. */

/** Domain time: contact, message and consent times, schedules, quiet hours. Production's is real time, a sandbox's can be moved. */
export type Clock = { now(): Date };

/**
 * Real time, for leases, slots, backoff and retention: the database's, which all processes share, carried on by this machine's monotonic
 * clock, which nobody can set. Only tokens and sessions go by this machine's own clock.
 */
export type DatabaseClock = Clock & {
  /** Looks at the database's clock again. */
  anchor(): Promise<void>;
  /** How far this machine's clock is ahead of it. */
  aheadMs(): number;
  /** Why nothing may be accepted or handed over: the time isn't known, or this machine's clock or the database's is wrong. */
  fault(): string | null;
};

/** A clock that can be moved forward. Its offset is in the database, so every node and the next start agree on it. */
export type SandboxClock = Clock & {
  offsetMs(): number;
  /** How often the sandbox was reset. */
  resets(): number;
  advance(ms: number): Promise<void>;
  /** Picks up a move or a reset by another node. */
  refresh(): Promise<void>;
};

/** Carries texts to phones and back. */
export type Carrier = {
  readonly name: string;
  /** What it knows about a number without asking anyone. */
  check(phone: string): 'unreachable' | 'landline' | null;
  /** How long every text to the number waits, whatever the advisor's policy for quiet hours; null if that decides. */
  night?(phone: string): { lastsMs: number } | null;
  /**
   * Hands over a text. A returned answer is final. If it throws or doesn't answer in time, nobody knows whether the text
   * was accepted.
   */
  submit(text: OutgoingText, course?: Course): Promise<Submission>;
  /** How many more texts it could begin now, beside those that wait for a place or for the pace. Left out: any number. */
  room?(): number;
  /** Delivers replies and receipts to `inbound` until the returned function is called. */
  listen(inbound: Inbound): () => Promise<void>;
  /** The texts it accepted from `from` until before `to`, delivered or not, if it keeps such records. */
  records?(from: Date, to: Date): AsyncIterable<CarrierRecord>;
  /** How its connections do, for operators, if it has any. */
  status?(): Omit<CarrierStatus, 'inDoubt'>;
  /** What became of a text that it may have taken, if it can tell; null if it can't yet. Asked about texts in doubt. */
  find?(text: DoubtfulText): Promise<SubmissionAtCarrier | null>;
  /** What kind of line a number is, if it can look that up. */
  lookUp?(phone: string): Promise<LineType>;
  /**
   * A picture or the like that came with a reply. Throws if it can't be had: a MediaRefused if it never can, or has more than
   * `mediaBytesMax`.
   */
  fetchMedia?(media: IncomingMedia, until?: AbortSignal): Promise<FetchedMedia>;
};

/** A carrier that this node has opened: its row, and what its kind made of it. */
export type OpenCarrier = {
  readonly carrierId: number;
  readonly name: string;
  readonly version: number;
  /** It confirms STOP and answers HELP by itself, so we don't. */
  readonly answersKeywords: boolean;
  /** Numbers are looked up with it before they are texted, which costs money. */
  readonly looksUp: boolean;
  readonly carrier: Carrier;
  /** Null if it makes no calls. */
  readonly readCall: ReadCarrierCall | null;
  /** What its calls brought to this side of the node, which counts them. */
  readonly calls: CallCounts;
};

/** The carriers that this node has opened. A changed row is a new object. */
export type Carriers = {
  find(carrierId: number): OpenCarrier | undefined;
  list(): OpenCarrier[];
  /** Opens those that are new or changed, and forgets those that are gone or disabled. */
  refresh(): Promise<void>;
  faults(): CarrierFault[];
};
export type CarrierFault = { carrierId: number; name: string; version: number; why: string };

/** What happens on a carrier's connections, for a log: no number and no text. `refused` needs an operator: a wrong password, for example. */
export type CarrierEvent = { connection: string; host: string; event: string };

/** What a kind of carrier needs besides its settings. */
export type CarrierExtra = {
  db: Db;
  clock: Clock;
  publicUrl: string;
  environment: 'sandbox' | 'production';
  outboundAllowedNetworks: readonly string[];
  /** Aborted by the sandbox's next reset. */
  untilReset?(): AbortSignal;
  report(event: CarrierEvent): void;
};

/**
 * A kind of carrier: how its settings look, as a JSON Schema, which of them are secret (`password`, `hosts.*.tls.key`), and how it
 * is opened with settings that follow the schema. `reader` is there if it calls us.
 */
export type CarrierKind = {
  schema: object;
  secrets: string[];
  open(name: string, settings: CarrierSettings, extra: CarrierExtra): Carrier;
  reader?(settings: CarrierSettings): ReadCarrierCall;
};
export type CarrierSettings = Record<string, unknown>;

/** The kinds that an operator can add. */
export const carrierKindNames = ['smpp', 'twilio', 'telnyx'] as const;

/** `carrierMessageId` is there if another part of the carrier's answer told it. */
export type DoubtfulText = OutgoingText & { submittedAt: Date; carrierMessageId?: string };
/**
 * The text that fits in the carrier's records. Those don't say which of our texts it is, so an id that another text of ours has
 * already isn't a response for this one.
 */
export type SubmissionAtCarrier = {
  carrierMessageId: string;
  status: 'sent' | 'delivered' | 'undelivered';
  code?: string;
  reason?: UndeliveredReason;
};

/** A request of a carrier to our own address: `url` is the public one, character by character as the carrier called it. */
export type CarrierCall = { url: string; headers: Record<string, string | undefined>; body: Buffer };
/** What a carrier's request says, and what it gets back; null if its signature isn't right. */
export type ReadCarrierCall = (call: CarrierCall, now: Date) => CarrierNews | null;
export type CarrierNews = { replies: IncomingReply[]; receipts: Receipt[]; response: { type: string; body: string } };

/** Counts are since the node started. No number of a person is in it. */
export type CarrierStatus = {
  connections: CarrierConnection[];
  /** Texts that wait for the carrier's answer. */
  inFlight: number;
  accepted: number;
  /** How many, by the carrier's reason. */
  refused: Record<string, number>;
  notTaken: Record<string, number>;
  /** Texts that this node handed over and that are in doubt now. The node knows, not the carrier. */
  inDoubt: number;
  /** How often it asked us to slow down, and the pace since; null when nothing limits it. */
  throttled: number;
  perSecond: number | null;
  /** `unmatched` ones name no text that this node remembers; `lagMs` is how long the last one came after the response. */
  receipts: { delivered: number; undelivered: number; unmatched: number; lagMs: number | null };
  replies: { taken: number; failed: number; incomplete: number };
  /** Numbers that it was asked about, if it can be. */
  lookups?: { answered: number; failed: number; lastFault: string | null };
};

/** What came in calls of the carrier; `misroutedReplies` are replies to numbers that it doesn't have. */
export type CallCounts = Pick<CarrierStatus, 'receipts' | 'replies'> & { misroutedReplies: number };

export type CarrierConnection = {
  name: string;
  host: string;
  state: 'bound' | 'connecting' | 'waiting' | 'stopped';
  since: Date;
  inFlight: number;
  window: number;
  /** Why it was lost or refused last. */
  lastFault: string | null;
};

/** A text in the carrier's records. Some carriers don't keep the wording. */
export type CarrierRecord = { carrierMessageId: string; from: string; to: string; text?: string; dateTime: Date };

/**
 * `reference` is ours. A carrier that can repeats it in receipts, so that a text in doubt can be found. `beginBy`, by
 * performance.now(), is the latest moment to hand its first part to the socket: by then a STOP may have been acknowledged, so
 * a text that isn't begun isn't taken.
 */
export type OutgoingText = {
  from: string;
  to: string;
  text: string;
  kind: TextKind;
  reference?: number;
  beginBy?: number;
};

/** A long text goes in parts. Once one was taken, the others are tried for as long as the text lives. */
export type Course = {
  /** The text's time is up: no further part goes. */
  isOver(): boolean;
  /** It has begun and goes on: the time for a response starts again. */
  goesOn(): void;
};

/**
 * Accepted; refused for good; or certainly not taken, so it can be retried. `unavailable`: the carrier takes no text now, or no more
 * of them, which says nothing about this one. `code` is the carrier's own.
 */
export type Submission =
  | { accepted: string; cutShort?: CutShort }
  | { refused: Refusal; code?: string }
  | { notTaken: string; unavailable?: true };
export type NotAccepted = Exclude<Submission, { accepted: string }>;
export type Refusal = 'unreachable' | 'landline' | 'opted_out' | 'rejected';

/** Why only some parts of a text were taken, and no more will be. */
export type CutShort = { reason: Refusal | 'expired'; code?: string; partsSent: number; parts: number };

/** A carrier's id of a text is kept up to this length, which an index takes. Real ones have 36 characters at most. */
export const carrierMessageIdMax = 200;

/** What a carrier delivers, possibly more than once and in any order. */
export type Inbound = {
  reply(reply: IncomingReply): Promise<void>;
  receipt(receipt: Receipt): Promise<void>;
};

export type IncomingReply = {
  carrierMessageId: string;
  from: string;
  to: string;
  text: string;
  sentAt: Date;
  /** Set if parts of it never came: `text` is those that did, in their order. */
  incomplete?: { received: number; of: number };
  /** What the carrier took it for, if it answers keywords by itself: null is for none. Not there if it doesn't tell. */
  keyword?: 'stop' | 'start' | 'help' | null;
  /** Pictures and the like, which we fetch from the carrier. */
  media?: IncomingMedia[];
};

export type IncomingMedia = { url: string; contentType: string; size?: number };
export type FetchedMedia = { contentType: string; bytes: Buffer };
export const mediaBytesMax = 5 * 1024 * 1024;
/** Where the sandbox's carrier has a picture of its own. */
export const samplePictureUrl = 'sandbox://picture';
/** Why media won't be fetched, in a sentence without secrets. */
export class MediaRefused extends Error {}

/** Where a carrier calls us, below our public URL. */
export function carrierCallsPath(name: string): string {
  return `/carriers/${encodeURIComponent(name)}/calls`;
}

/**
 * If the id is of no text, `from`, `to` and the last 16 bits of its reference may tell which text in doubt it is about. They
 * are there if the carrier tells them. `from` is our number, as in the text.
 */
export type Receipt = Omit<ReceiptRow, 'carrierId' | 'reason'> & { reason?: UndeliveredReason };
/** What a carrier's code means, if it means more than `undelivered`. */
export type UndeliveredReason = Refusal | 'filtered' | 'expired';

/** An advisor's CRM. It may be down, slow, wrong or hostile: every outcome is a response or a CrmFault, within ten seconds. */
export type Crm = {
  /** The contact with this number, which is then its `phone`; or null. */
  lookup(phone: string, until: AbortSignal): Promise<RemoteContact | null>;
};

export type RemoteContact = {
  remoteContactId: string;
  remoteContactUrl: string | null;
  /** Only the fields that obey the rules for contacts. */
  fields: Partial<ContactFields>;
};

/** How to reach a CRM, and what both sides sign with. */
export type CrmAccess = { url: string; secret: string };
export type OpenCrm = (access: CrmAccess) => Crm;

/** Why the CRM couldn't be asked, in a sentence for operators. */
export class CrmFault extends Error {}

/** Hands an event to an application's endpoint, signed with each of the secrets. */
export type Push = (delivery: {
  url: string;
  secrets: string[];
  id: string;
  body: string;
  now: Date;
  until: AbortSignal;
}) => Promise<PushResponse>;
/** What it was signed with, the status and the beginning of the response; no status, and why, if none came. */
export type PushResponse = { signature: string; status: number | null; response: string };

export type { LineType } from '../store/texting/number-lookups.ts';
export type { TextKind } from '../store/texting/texts.ts';

/** What the firm's lexicon finds in a text: the strictest action that the matching rules ask for. */
export type ScreeningFinding = { action: 'flag' | 'hold' | 'block'; rules: string[]; lexiconVersion: number };
/** What a firm's lexicon says about a text. */
export type Screener = (text: string) => ScreeningFinding | null;

/** A node's screeners. It has made those it used recently ready, so most texts cost no statement. */
export type Screeners = {
  of(db: Db, firmIds: number[]): Promise<Map<number, Screener>>;
  forget(): void;
  /** The next text is screened by the lexicon that the database has by then. */
  expire(firmId: number): void;
};

/** One use of a key's bucket, which holds `burst` and fills at `ratePerSecond`. With 0 wanted it is only looked at. */
export type BucketUse = { keyId: number; ratePerSecond: number; burst: number; wanted: 0 | 1 };
export type TakenTokens = { taken: boolean; tokens: number };

/** Buckets that all processes share. Null while nobody can tell: then each process goes by its own. */
export type SharedBuckets = { take(use: BucketUse): Promise<TakenTokens | null> | null };

/** Signs notes (C2SP signed-note, Ed25519) under a name. */
export type NoteSigner = {
  verifier: Verifier;
  /** The public key as a line of text, for anyone who verifies. */
  publicKey: string;
  sign(text: string): string;
};

/** What a node knows about the archive out of the database's reach: in the process, and in a file beside its key. */
export type ArchiveMemory = {
  path: string;
  /** Copies of checkpoints outside the database, this node's and other nodes', that a lost memory is taken from. */
  copies: Copies[];
  /** Null if this node has signed nothing yet, or its file was lost before the process started. */
  read(): Promise<ArchiveMemoryState | null>;
  /** The process remembers it even if the file can't be written. */
  write(remembered: ArchiveMemoryState): Promise<void>;
};

export type ArchiveMemoryState = {
  /** How large the tree was when this memory began: about smaller trees it knows nothing. */
  since: number;
  /** The checkpoint of the largest tree that this node has signed, or seen signed with its key. */
  note: string;
  copied: LastCopy | null;
};

export type Copies = {
  /** The last complete checkpoint. Its signature is not checked. */
  last(): Promise<KeptCheckpoint | null>;
  /** All checkpoints in the order in which they were added; some may come twice. */
  notes(): AsyncIterable<string>;
};
export type KeptCheckpoint = { size: number; root: Buffer; note: string };

/** The last checkpoint that was copied to this folder, and how long its files were then. They only ever grow. */
export type LastCopy = { folder: string; note: string; checkpointsBytes: number; leavesBytes: number };

/** A leaf as it is kept outside the database: which entry it was, with its hash. */
export type KeptLeaf = { leaf: number; advisorId: number; number: number; hash: Buffer };

/** A folder outside the database with copies of checkpoints and leaves. Anything in it is only ever added. */
export type CheckpointFolder = Copies & {
  path: string;
  lengths(): Promise<FileLengths>;
  leafCount(): Promise<number>;
  /** Adds leaves, then checkpoints. Once it returns, they survive a power failure. */
  append(leaves: KeptLeaf[], notes: string[]): Promise<void>;
  /** Those leaves from `from` up to but not including `to` that are there. */
  leaves(from: number, to: number): Promise<KeptLeaf[]>;
};
/** In bytes; null if the file is missing. */
export type FileLengths = { checkpoints: number | null; leaves: number | null };

/** Gives a checkpoint to the operator's command. */
export type DeliverCheckpoint = (note: string, size: number) => Promise<void>;

/** A row of a file, validated; fields that it doesn't have are left out. */
export type ImportRow = { line: number; fields: Partial<ContactFields>; groups: string[] };

/** A value that can't be used, the column or property that it is in, and why. */
export type LeftOut = { column: string; value: string; why: string };

/** A row to import, or why it can't be; and what is left out of it. */
export type PreparedRow = { line: number; leftOut: LeftOut[]; further: string[] } & (
  | { row: ImportRow }
  | { refused: string }
);

/** An export of the archive as one file, in parts. What is exported is the domain's own, which this can't name. */
export type ArchivePackages = {
  zip(
    exported: object,
    options: { withEmails: boolean; progress(done: number, total: number): void },
  ): AsyncIterable<Buffer>;
};

/** Contacts as CSV files, in and out. Numbers and dates without a country are of that of the phone number. */
export type ContactFiles = {
  /** As many rows at a time as a chunk of the file has. */
  read(file: Buffer, phone: string | null): AsyncIterable<PreparedRow[]>;
  /** What each column of the file is, by the contract's names; null for those that mean nothing to us. */
  columns(file: Buffer): Promise<{ heading: string; field: string | null }[]>;
  /** The rows that were refused, as they were, each with the reason. */
  writeRefused(file: Buffer, phone: string | null): AsyncIterable<string>;
  write(contacts: AsyncIterable<ExportedRow[]>): AsyncIterable<string>;
};

/** Sends a message as RFC 5322 has it, by the operator's own command. */
export type SendMail = (message: string) => Promise<void>;

/** What a check of the deployment found. */
export type CheckFinding = {
  check: string;
  state: 'ok' | 'warning' | 'failing';
  says: string;
  /** What to do about it; null if all is well. */
  next: string | null;
  /** When what it is about happened last, if that matters. */
  at?: Date;
};
/** Checks what a process stands on and no row of its database says: folders, Redis, PostgreSQL itself. */
export type Diagnose = () => Promise<CheckFinding[]>;
