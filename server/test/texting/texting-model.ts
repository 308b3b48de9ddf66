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
  'Sorry, wrong number.': 'doubt',
  'Who is this?': 'other',
} as const;
export type Words = keyof typeof meanings;
export const allWords = Object.keys(meanings) as Words[];

export type Settings = { quietHours: 'off' | 'defer' | 'refuse'; consentRequired: boolean };
/** For whom a stop counts. */
export type Scope = 'advisor' | 'firm';
export type ModelReply = { carrierMessageId: string; phone: string; text: Words; sentMs: number };
/** A review about consent, and when the reply was written and arrived; of those that may mean stop, approving a person's last one ends the hold. */
export type ModelReview = {
  phone: string;
  kind: 'possible_opt_out' | 'opt_out_wording' | 'out_of_order';
  status: 'open' | 'approved' | 'rejected';
  writtenMs: number;
  arrivedMs: number;
};
/** Something that happened to a person, and whether their texts are held after it. */
export type ModelEvent = { phone: string; isHeld: boolean };
/** A STOP or a START, and when it was written: at the latest when it arrived. */
type Word = { isStop: boolean; stampMs: number };
export type ModelMessage = { phone: string; kind: TextKind; text: string | null };
/** A text that waited for consent; `released` means that it is a text like any other since. */
export type ModelWait = {
  phone: string;
  text: string;
  sinceMs: number;
  fate: 'waits' | 'released' | 'opted_out' | 'consent_lapsed';
};
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
  phone: string;
  state: ConsentState;
  sinceMs: number;
  /** Every STOP, and every START that counted, in the order of arrival. */
  words: Word[];
  /** When the last reply that may mean stop was written; null while nothing is held for one. */
  doubtMs: number | null;
  requests: number;
  requestedMs: number;
  reminded: boolean;
  helpedMs: number;
  /** When the last of their texts was written. */
  wroteMs: number;
};

const minuteMs = 60_000;
const hourMs = 60 * minuteMs;
const dayMs = 24 * hourMs;
const confirmationMs = 5 * minuteMs;
export const exemptMs = 4 * hourMs;
/** New York's, in winter. */
const offsetMs = -5 * hourMs;

/** An advisor's texting by the rules: consent, accepted texts and schedules. The model sends nothing. */
export class TextingModel {
  readonly scope: Scope;
  /** The other advisor of the firm. */
  readonly colleague: TextingModel;
  readonly #clock: { nowMs: number };
  readonly members = new Map<string, ModelMember>();
  /** The contacts' numbers, oldest contact first. */
  readonly contacts: string[] = [];
  /** Every accepted text, in order; null is the firm's own wording. */
  readonly messages: ModelMessage[] = [];
  /** The texts of sends that named one person and went at once: only they are answers. */
  readonly answers = new Set<string>();
  readonly waits: ModelWait[] = [];
  readonly schedules: ModelSchedule[] = [];
  /** Every text from a person, once, with the time at which it counts as written. */
  readonly replies: (ModelReply & ModelEvent & { stampMs: number })[] = [];
  readonly reviews: ModelReview[] = [];
  /** What reviewers decided, in order. */
  readonly decisions: ModelEvent[] = [];
  readonly settings: Settings;

  constructor(settings: Settings, scope: Scope, first?: TextingModel) {
    this.settings = settings;
    this.scope = scope;
    this.#clock = first ? first.#clock : { nowMs: Date.UTC(2026, 1, 3, 15) };
    this.colleague = first ?? new TextingModel(settings, scope, this);
  }

  get nowMs(): number {
    return this.#clock.nowMs;
  }

  set nowMs(nowMs: number) {
    this.#clock.nowMs = nowMs;
  }

  /** For each number, why it gets no text, or null. */
  send(phones: string[], text: string): (string | null)[] {
    this.#know(phones);
    if (phones.length === 1) this.answers.add(text);
    return phones.map((phone) => {
      const refusal = this.#refusal(phone, 'text', this.nowMs, text);
      if (!refusal) this.messages.push({ phone, kind: 'text', text });
      return refusal;
    });
  }

  /** The same with `whenConsented`. All who are asked are asked before the first text. */
  sendWhenConsented(phones: string[], text: string): (string | null)[] {
    this.#know(phones);
    if (phones.length === 1) this.answers.add(text);
    const refusals = phones.map((phone) => {
      const refusal = this.#refusal(phone, 'text', this.nowMs, text);
      if (refusal !== 'not_consented' && refusal !== 'consent_pending') return refusal;
      this.answers.delete(text);
      const waiting = this.waits.filter((wait) => wait.phone === phone && this.isWaiting(wait));
      if (waiting.length >= 10) return 'too_many_waiting';
      const isAsked = this.#member(phone).requestedMs + dayMs > this.nowMs;
      const cannotAsk = isAsked ? null : this.#ask(phone);
      if (!cannotAsk) this.waits.push({ phone, text, sinceMs: this.nowMs, fate: 'waits' });
      return cannotAsk;
    });
    for (const [index, phone] of phones.entries())
      if (!refusals[index]) this.messages.push({ phone, kind: 'text', text });
    return refusals;
  }

  /** Whether consent would still send it. */
  isWaiting({ fate, sinceMs }: ModelWait): boolean {
    return fate === 'waits' && sinceMs + dayMs > this.nowMs;
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
    return phones.map((phone) => this.#ask(phone));
  }

  #ask(phone: string): string | null {
    const refusal = this.#refusal(phone, 'consent_request', this.nowMs);
    if (refusal) return refusal;
    const member = this.#member(phone);
    this.messages.push({ phone, kind: 'consent_request', text: null });
    this.#become(member, 'pending');
    Object.assign(member, { requests: member.requests + 1, requestedMs: this.nowMs, reminded: false });
    return null;
  }

  receive(reply: ModelReply): void {
    if (this.replies.some((each) => isDuplicate(each, reply))) return;
    const stampMs = Math.min(reply.sentMs, this.nowMs);
    this.#know([reply.phone]);
    const member = this.#member(reply.phone);
    member.wroteMs = Math.max(member.wroteMs, stampMs);
    const answer = this.#answer(member, { ...reply, stampMs });
    if (answer) this.messages.push({ phone: reply.phone, kind: answer, text: null });
    this.replies.push({ ...reply, stampMs, isHeld: member.doubtMs !== null });
  }

  /** What a reviewer's decision does. */
  decide(review: ModelReview, decision: 'approved' | 'rejected'): 'released' | 'opted_out' | 'settled' | null {
    const outcome = this.#outcome(review, decision);
    review.status = decision;
    this.decisions.push({ phone: review.phone, isHeld: this.#member(review.phone).doubtMs !== null });
    return outcome;
  }

  #outcome(review: ModelReview, decision: 'approved' | 'rejected'): 'released' | 'opted_out' | 'settled' | null {
    const { phone, kind } = review;
    if (kind !== 'possible_opt_out') return null;
    const member = this.#member(phone);
    const last = this.reviews.findLast((each) => each.phone === phone && each.kind === kind);
    const { writtenMs } = review;
    const hasOptedIn = member.words.some((word) => !word.isStop && word.stampMs >= writtenMs);
    if (member.doubtMs === null || (last !== review && (decision === 'approved' || hasOptedIn))) return 'settled';
    if (decision === 'approved') {
      member.doubtMs = null;
      return 'released';
    }
    const stampMs = member.doubtMs;
    member.words.push({ isStop: true, stampMs });
    this.#become(member, 'opted_out');
    this.#stopColleague(phone, stampMs);
    if (this.nowMs <= review.arrivedMs + confirmationMs) this.messages.push({ phone, kind: 'opt_out', text: null });
    return 'opted_out';
  }

  /** The carrier delivers nothing to a person who opted out with it. */
  optOutByCarrier(phone: string): void {
    const member = this.#member(phone);
    // If we knew it already, the carrier says nothing new about the colleague.
    if (this.#become(member, 'opted_out')) this.#stopColleague(phone, this.nowMs);
    member.words.push({ isStop: true, stampMs: this.nowMs });
  }

  /** Records consent on paper; false if it is refused, since paper doesn't undo a STOP. */
  record(phone: string): boolean {
    if ((this.members.get(phone) ?? this.#newMember(phone)).state === 'opted_out') return false;
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

  #answer(member: ModelMember, { phone, text, stampMs }: ModelReply & { stampMs: number }): TextKind | null {
    const meaning = meanings[text];
    const answersRequest = member.state === 'pending' && stampMs >= member.sinceMs;
    switch (meaning) {
      case 'stop': {
        const { isMove, isLast } = this.#stop(phone, member, stampMs);
        if (isMove && text === 'please stop texting me') this.#review(phone, 'opt_out_wording');
        if (!isLast) this.#review(phone, 'out_of_order');
        return isMove ? 'opt_out' : null;
      }
      case 'start':
        // Every START is confirmed; a second STOP is not.
        if (!this.#start(member, stampMs)) {
          if (member.state === 'opted_out') this.#review(phone, 'out_of_order');
          return null;
        }
        if (member.doubtMs !== null && stampMs >= member.doubtMs) member.doubtMs = null;
        return 'opt_in';
      case 'accept':
        if (answersRequest && this.#start(member, stampMs)) return 'opt_in';
        if (member.state === 'pending') this.#review(phone, 'out_of_order');
        return null;
      case 'decline':
        if (member.state !== 'pending') return null;
        if (!this.#stop(phone, member, stampMs).isLast || !answersRequest) this.#review(phone, 'out_of_order');
        return 'opt_out';
      case 'doubt':
        if (member.state === 'opted_out') return null;
        this.#review(phone, 'possible_opt_out', stampMs);
        member.doubtMs = Math.max(member.doubtMs ?? -Infinity, stampMs);
        return null;
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

  /** The STOP counts since it arrived. If a START was written after it, to anybody it counts for, it isn't the last word. */
  #stop(phone: string, member: ModelMember, stampMs: number): { isMove: boolean; isLast: boolean } {
    const here = this.#stopOne(member, stampMs);
    const there = this.#stopColleague(phone, stampMs);
    return { isMove: here.isMove || there.isMove, isLast: here.isLast && there.isLast };
  }

  #stopOne(member: ModelMember, stampMs: number): { isMove: boolean; isLast: boolean } {
    const isLater = member.words.every((word) => word.isStop || word.stampMs <= stampMs);
    const isLast = member.state !== 'accepted' || isLater;
    member.words.push({ isStop: true, stampMs });
    return { isMove: this.#become(member, 'opted_out'), isLast };
  }

  /** Only if they know the number; otherwise they hear about it when they do. */
  #stopColleague(phone: string, stampMs: number): { isMove: boolean; isLast: boolean } {
    const member = this.scope === 'firm' ? this.colleague.members.get(phone) : undefined;
    return member ? this.colleague.#stopOne(member, stampMs) : { isMove: false, isLast: true };
  }

  #review(phone: string, kind: ModelReview['kind'], writtenMs = this.nowMs): void {
    this.reviews.push({ phone, kind, status: 'open', writtenMs, arrivedMs: this.nowMs });
  }

  /** Counts only if it was written after every STOP that arrived. */
  #start(member: ModelMember, stampMs: number): boolean {
    if (member.words.some((word) => word.isStop && word.stampMs >= stampMs)) return false;
    member.words.push({ isStop: false, stampMs });
    this.#become(member, 'accepted');
    return true;
  }

  #become(member: ModelMember, state: ConsentState): boolean {
    if (member.state === state) return false;
    Object.assign(member, { state, sinceMs: this.nowMs });
    // Nothing is in doubt any more.
    if (state === 'opted_out') member.doubtMs = null;
    if (state === 'opted_out' || state === 'accepted') this.#endWaits(member.phone, state);
    return true;
  }

  #endWaits(phone: string, state: 'opted_out' | 'accepted'): void {
    for (const wait of this.waits.filter((each) => each.phone === phone && each.fate === 'waits'))
      wait.fate = !this.isWaiting(wait) ? 'consent_lapsed' : state === 'accepted' ? 'released' : 'opted_out';
  }

  #refusal(phone: string, kind: TextKind, atMs: number, text = ''): string | null {
    const { state, wroteMs } = this.#member(phone);
    if (!mayGo(kind, state, this.settings.consentRequired))
      return { none: 'not_consented', pending: 'consent_pending', accepted: null, opted_out: 'opted_out' }[state];
    const isExempt = this.answers.has(text) && wroteMs + exemptMs > atMs;
    return this.settings.quietHours === 'refuse' && !this.isOpen(atMs) && !isExempt ? 'quiet_hours' : null;
  }

  /** A number that sends or gets texts is a member, and a contact has it. */
  #know(phones: string[]): void {
    for (const phone of phones) {
      this.#member(phone);
      if (!this.contacts.includes(phone)) this.contacts.push(phone);
    }
  }

  #member(phone: string): ModelMember {
    const member = this.members.get(phone) ?? this.#newMember(phone);
    this.members.set(phone, member);
    return member;
  }

  /** Opted out already if the number has stopped the colleague and that counts for the firm. */
  #newMember(phone: string): ModelMember {
    const known = this.scope === 'firm' ? (this.colleague.members.get(phone)?.words ?? []) : [];
    const words = known.filter(({ isStop }) => isStop);
    return {
      phone,
      state: words.length > 0 ? 'opted_out' : 'none',
      sinceMs: this.nowMs,
      words,
      doubtMs: null,
      requests: 0,
      requestedMs: -Infinity,
      reminded: false,
      helpedMs: -Infinity,
      wroteMs: -Infinity,
    };
  }
}

function isDuplicate(one: ModelReply, other: ModelReply): boolean {
  return (['carrierMessageId', 'phone', 'text'] as const).every((field) => one[field] === other[field]);
}
