import type { ConsentState } from '../../src/store/consent/consents.ts';
import type { TextKind } from '../../src/store/texting/texts.ts';
import { mayGo } from '../support/instants.ts';

/** What people text, and what it means by the rules. */
const meanings = {
  STOP: 'stop',
  'please stop texting me': 'stop',
  START: 'start',
  ACCEPT: 'accept',
  NO: 'decline',
  HELP: 'help',
  'Who is this?': 'other',
} as const;
export type Words = keyof typeof meanings;
export const allWords = Object.keys(meanings) as Words[];

export type Settings = { quietHours: 'off' | 'defer' | 'refuse'; consentRequired: boolean };
export type ModelReply = { carrierMessageId: string; phone: string; text: Words; sentMs: number };
export type ModelMessage = { phone: string; kind: TextKind; text: string | null };
export type ModelSchedule = {
  scheduledMessageId: number;
  phone: string;
  text: string;
  dueMs: number;
  isDaily: boolean;
  status: 'scheduled' | 'skipped' | 'completed' | 'canceled';
  reason: string | null;
};
type ModelMember = {
  state: ConsentState;
  sinceMs: number;
  /** The last STOP or START by when it was written; in the same millisecond the STOP counts. */
  word: { atMs: number; isStop: boolean } | null;
  requests: number;
  reminded: boolean;
  helpedMs: number;
  /** When the last of their texts was written. */
  wroteMs: number;
};

const minuteMs = 60_000;
const hourMs = 60 * minuteMs;
const dayMs = 24 * hourMs;
const skewMs = 5 * minuteMs;
export const exemptMs = 4 * hourMs;
/** New York's, in winter. */
const offsetMs = -5 * hourMs;

/** An advisor's texting by the rules: consent, accepted texts and schedules. The model sends nothing. */
export class TextingModel {
  nowMs = Date.UTC(2026, 1, 3, 15);
  readonly members = new Map<string, ModelMember>();
  /** The contacts' numbers, oldest contact first. */
  readonly contacts: string[] = [];
  /** Every accepted text, in order; null is the firm's own wording. */
  readonly messages: ModelMessage[] = [];
  readonly schedules: ModelSchedule[] = [];
  /** Every text from a person, once. */
  readonly replies: ModelReply[] = [];
  reviews = 0;
  readonly settings: Settings;

  constructor(settings: Settings) {
    this.settings = settings;
  }

  /** For each number, why it gets no text, or null. */
  send(phones: string[], text: string): (string | null)[] {
    this.#know(phones);
    return phones.map((phone) => {
      const refusal = this.#refusal(phone, 'text', this.nowMs);
      if (!refusal) this.messages.push({ phone, kind: 'text', text });
      return refusal;
    });
  }

  /** The same for a scheduled text. */
  refusalsOfSchedule(phones: string[], atMs: number): (string | null)[] {
    this.#know(phones);
    return phones.map((phone) => this.#refusal(phone, 'text', atMs));
  }

  schedule(made: Pick<ModelSchedule, 'scheduledMessageId' | 'phone' | 'text' | 'dueMs' | 'isDaily'>): void {
    this.schedules.push({ ...made, status: 'scheduled', reason: null });
  }

  cancel(schedule: ModelSchedule): void {
    schedule.status = 'canceled';
    schedule.reason = null;
  }

  /** Due schedules are sent or skipped; several missed occurrences count as one. */
  fire(): void {
    const due = this.schedules
      .filter(({ status, dueMs }) => status === 'scheduled' && dueMs <= this.nowMs)
      .sort((a, b) => a.dueMs - b.dueMs || a.scheduledMessageId - b.scheduledMessageId);
    this.#know([...new Set(due.map(({ phone }) => phone))]);
    for (const each of due) {
      each.reason = this.#refusal(each.phone, 'text', this.nowMs);
      if (!each.reason) this.messages.push({ phone: each.phone, kind: 'text', text: each.text });
      if (!each.isDaily) each.status = each.reason ? 'skipped' : 'completed';
      else while (each.dueMs <= this.nowMs) each.dueMs += dayMs;
    }
  }

  /** For each number, why it isn't asked, or null; undefined if the whole request is refused. */
  request(phones: string[]): (string | null)[] | undefined {
    if (phones.some((phone) => this.members.get(phone)?.state === 'accepted')) return undefined;
    this.#know(phones);
    return phones.map((phone) => {
      const refusal = this.#refusal(phone, 'consent_request', this.nowMs);
      if (refusal) return refusal;
      const member = this.#member(phone);
      this.messages.push({ phone, kind: 'consent_request', text: null });
      this.#become(member, 'pending');
      Object.assign(member, { requests: member.requests + 1, reminded: false });
      return null;
    });
  }

  receive(reply: ModelReply): void {
    if (this.replies.some(({ carrierMessageId }) => carrierMessageId === reply.carrierMessageId)) return;
    this.replies.push(reply);
    this.#know([reply.phone]);
    const member = this.#member(reply.phone);
    const atMs = reply.sentMs > this.nowMs + skewMs ? this.nowMs : reply.sentMs;
    member.wroteMs = Math.max(member.wroteMs, atMs);
    const answer = this.#answer(member, reply.text, atMs);
    if (answer) this.messages.push({ phone: reply.phone, kind: answer, text: null });
  }

  /** The carrier delivers nothing to a person who opted out with it. */
  optOutByCarrier(phone: string): void {
    const member = this.#member(phone);
    this.#become(member, 'opted_out');
    member.word = { atMs: Math.max(member.word?.atMs ?? 0, this.nowMs), isStop: true };
  }

  /** Records consent on paper; false if it is refused, since paper doesn't undo a STOP. */
  record(phone: string): boolean {
    if (this.members.get(phone)?.state === 'opted_out') return false;
    this.#know([phone]);
    this.#become(this.#member(phone), 'accepted');
    return true;
  }

  deleteContact(index: number): void {
    this.contacts.splice(index, 1);
  }

  editContact(index: number, phone: string): void {
    this.contacts[index] = phone;
    this.#member(phone);
  }

  /** Whether the advisor's texts may go out at that time, by the recipient's clock. */
  isOpen(atMs: number): boolean {
    const hour = (atMs + offsetMs) / hourMs;
    return hour % 24 >= 8 && hour % 24 < 21;
  }

  #answer(member: ModelMember, text: Words, atMs: number): TextKind | null {
    const meaning = meanings[text];
    const answersRequest = member.state === 'pending' && atMs >= member.sinceMs;
    switch (meaning) {
      case 'stop': {
        const moved = this.#say(member, { atMs, isStop: true });
        if (moved && text === 'please stop texting me') this.reviews += 1;
        return moved ? 'opt_out' : null;
      }
      case 'start':
        // Every START is confirmed; a second STOP is not.
        this.#say(member, { atMs, isStop: false });
        return member.state === 'accepted' ? 'opt_in' : null;
      case 'accept':
        return answersRequest && this.#become(member, 'accepted') ? 'opt_in' : null;
      case 'decline':
        return answersRequest && this.#say(member, { atMs, isStop: true }) ? 'opt_out' : null;
      case 'other':
        if (!answersRequest || member.reminded) return null;
        member.reminded = true;
        return 'reminder';
      case 'help':
        if (this.nowMs - member.helpedMs < minuteMs) return null;
        member.helpedMs = this.nowMs;
        return 'help';
    }
  }

  /** The word that was written last counts, whatever the order of arrival. */
  #say(member: ModelMember, word: { atMs: number; isStop: boolean }): boolean {
    const last = member.word;
    if (last && (word.atMs < last.atMs || (word.atMs === last.atMs && last.isStop && !word.isStop))) return false;
    member.word = word;
    return this.#become(member, word.isStop ? 'opted_out' : 'accepted');
  }

  #become(member: ModelMember, state: ConsentState): boolean {
    if (member.state === state) return false;
    Object.assign(member, { state, sinceMs: this.nowMs });
    return true;
  }

  #refusal(phone: string, kind: TextKind, atMs: number): string | null {
    const { state, wroteMs } = this.#member(phone);
    if (!mayGo(kind, state, this.settings.consentRequired))
      return { none: 'not_consented', pending: 'consent_pending', accepted: null, opted_out: 'opted_out' }[state];
    const waits = this.settings.quietHours === 'refuse' && !this.isOpen(atMs) && wroteMs + exemptMs <= atMs;
    return waits ? 'quiet_hours' : null;
  }

  /** A number that sends or gets texts is a member, and a contact has it. */
  #know(phones: string[]): void {
    for (const phone of phones) {
      this.#member(phone);
      if (!this.contacts.includes(phone)) this.contacts.push(phone);
    }
  }

  #member(phone: string): ModelMember {
    const member = this.members.get(phone) ?? {
      state: 'none',
      sinceMs: this.nowMs,
      word: null,
      requests: 0,
      reminded: false,
      helpedMs: -Infinity,
      wroteMs: -Infinity,
    };
    this.members.set(phone, member);
    return member;
  }
}
