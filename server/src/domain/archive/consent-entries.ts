import type { NewEntry } from '../../store/archive/archive.ts';
import type { ConsentState } from '../../store/consent/consents.ts';
import type { FirmStop } from '../../store/consent/firm-opt-outs.ts';
import type { By } from './archive.ts';

/** Why consent is what it is. `firm_opt_out` is a stop to another advisor of the firm, `earlier_number` one to a number that was theirs. */
export type Reason =
  | 'requested'
  | 'accepted'
  | 'declined'
  | 'opt_in'
  | 'opt_out'
  | 'opt_out_wording'
  | 'possible_opt_out'
  | 'firm_opt_out'
  | 'earlier_number'
  | 'carrier'
  | 'recorded'
  | 'sandbox';
export type Channel = 'text' | 'carrier' | 'paper' | 'sandbox';

/** What the archive keeps to prove a move: who, the number, the wording as shown, the channel, the reply, and when. */
export type Evidence = {
  who: string;
  phone: string;
  channel: Channel;
  when: string;
  wording?: { text: string; version: number; shown: string };
  reply?: { text: string; sent: string; archiveNumber: number };
  proof?: string;
  /**
   * The advisor who got the stop, and its reason there. The reply's entry is in that advisor's archive. An advisor of another firm isn't
   * named, nor is their reply told.
   */
  stop?: { advisorId?: number; reason: Reason };
};
/** The part of the evidence that isn't the same for every move. */
export type Proof = Pick<Evidence, 'wording' | 'reply' | 'proof' | 'stop'>;

/** A move, as the facts of its entry have it: they outlive the evidence. */
export type ConsentFacts = { from: ConsentState; to: ConsentState; reason: Reason; channel: Channel };
export type ConsentMove = Omit<ConsentFacts, 'from'> & {
  member: { memberId: number; phone: string; name?: string | null; state: ConsentState };
  evidence?: Proof;
};

/** For which advisor, by whom and when; everything that a move writes has the same time. */
export type ConsentAct = { advisorId: number; by: By; now: Date };

export function consentEntry({ advisorId, by, now }: ConsentAct, move: ConsentMove): NewEntry {
  const { member, to, reason, channel, evidence } = move;
  const { memberId, name, phone } = member;
  const body: Evidence = { who: by.actor, phone, channel, when: now.toISOString(), ...evidence };
  // The number is in the facts too: the gate compares it, and facts outlive the evidence.
  const meta = { from: member.state, to, reason, channel, phone };
  const changed = { advisorId, type: 'consent.changed', memberId, state: to, previousState: member.state } as const;
  const events = member.state === to ? [] : [changed];
  return { advisorId, kind: 'consent', memberId, meta, name, body: JSON.stringify(body), ...by, events };
}

/**
 * An earlier stop, as the reason and evidence of what it moves: to another advisor of the firm, with the reply as that advisor's archive
 * has it, or to this one from the phone's other form, which counts like a stop from this one.
 */
export function stopElsewhere(advisorId: number, { stopAdvisorId, stopMeta, stopBody }: FirmStop) {
  const { reason = 'opt_out', channel = 'text' }: Partial<ConsentFacts> = JSON.parse(stopMeta ?? '{}');
  const there: Partial<Evidence> = JSON.parse(stopBody ?? '{}');
  const { reply } = there;
  const isOwn = stopAdvisorId === advisorId;
  const stop = there.stop ?? (isOwn ? undefined : { advisorId: stopAdvisorId, reason });
  const evidence: Proof = { ...(reply ? { reply } : {}), ...(stop ? { stop } : {}) };
  return { reason: isOwn ? reason : ('firm_opt_out' as const), channel, evidence };
}
