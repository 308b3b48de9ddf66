import { type Member, makeSignals, type Signals } from '../../domain/shared/signals.ts';
import type { NoteFromWorker, NoteToWorker } from './notes.ts';

/** A side's signals: `hear` takes what the other side tells, `pulse` says what the other side should know by now. */
export type Side<Heard, Told> = { signals: Signals; hear(note: Heard): void; pulse(): Told };

/**
 * The signals of the side that answers requests. Texts that it queues, and members that it finds unproven, are for the
 * worker's dispatcher; requests that wait for consent are woken by changes on both sides.
 */
export function requestSignals(tell: (note: NoteToWorker) => void): Side<NoteFromWorker, NoteToWorker> {
  const own = makeSignals();
  let workerBehind = false;
  return {
    signals: {
      ...own,
      queued: { ...own.queued, raise: () => tell({ about: 'queued' }) },
      unprovenConsents: {
        ...own.unprovenConsents,
        add: (member) => tell({ about: 'unproven consent', member: idsOf(member) }),
      },
      replies: { ...own.replies, isBehind: () => workerBehind || own.replies.isBehind() },
    },
    hear(note) {
      if (note.about === 'consent change') own.consentChanged.raise(note.member);
      if (note.about !== 'pulse') return;
      workerBehind = note.repliesBehind;
      Object.assign(own.archive, note.archive);
    },
    pulse: () => ({ about: 'pulse', repliesBehind: own.replies.isBehind() }),
  };
}

/** The worker's signals. No request waits here, and it hands over no text while replies are behind on either side. */
export function workerSignals(tell: (note: NoteFromWorker) => void): Side<NoteToWorker, NoteFromWorker> {
  const own = makeSignals();
  let requestsBehind = false;
  return {
    signals: {
      ...own,
      consentChanged: {
        ...own.consentChanged,
        raise: (member) => tell({ about: 'consent change', member: idsOf(member) }),
      },
      replies: { ...own.replies, isBehind: () => requestsBehind || own.replies.isBehind() },
    },
    hear(note) {
      if (note.about === 'queued') own.queued.raise();
      if (note.about === 'unproven consent') own.unprovenConsents.add(note.member);
      if (note.about === 'pulse') requestsBehind = note.repliesBehind;
    },
    pulse: () => ({ about: 'pulse', repliesBehind: own.replies.isBehind(), archive: own.archive }),
  };
}

/** Nothing else about a person leaves its side. */
function idsOf({ advisorId, memberId }: Member): Member {
  return { advisorId, memberId };
}
