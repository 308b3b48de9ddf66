import type { Deps } from '../../deps.ts';
import type { ConsentEvidenceRow } from '../../store/conversations/consent-evidence.ts';
import * as store from '../../store/conversations/consent-evidence.ts';
import type { ConsentFacts, Evidence } from '../archive/consent-entries.ts';
import { listedText } from '../shared/text/text-rules.ts';

/** Who recorded a change of consent. */
const recorders = ['person', 'advisor', 'application', 'staff', 'carrier', 'operator', 'service'] as const;

const evidenceMax = 200;

export async function listConsentEvidence({ db }: Deps, advisorId: number, memberId: number) {
  return (await store.listConsentEvidence(db, advisorId, memberId, evidenceMax)).map(evidenceOf);
}

/** A change of consent with what proves it. `id` is that of the item in the thread. */
function evidenceOf({ archiveNumber, dateTime, actor, actorName, meta, body }: ConsentEvidenceRow) {
  const { from, to, reason, channel }: ConsentFacts = JSON.parse(meta);
  const { wording, reply, proof }: Partial<Evidence> = JSON.parse(body ?? '{}');
  return {
    id: `c${archiveNumber}`,
    archiveNumber,
    dateTime,
    state: to,
    previousState: from,
    reason,
    channel,
    by: recorders.find((each) => each === actor.split(':')[0]) ?? 'service',
    byName: actorName,
    wording: wording ? { ...wording, shown: new Date(wording.shown) } : null,
    reply: reply ? { text: listedText(reply.text), sent: new Date(reply.sent) } : null,
    /** What the firm wrote down about consent that wasn't given by text. */
    proof: proof ?? null,
    /** False once its retention has ended: then only the change itself is known. */
    isKept: body !== null,
  };
}
