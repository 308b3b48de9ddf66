import { setTimeout as pause } from 'node:timers/promises';
import type { OutgoingText, Submission } from '../../../domain/ports.ts';
import type { Counts } from '../../shared/counts.ts';
import type { Lanes } from '../../shared/lanes.ts';
import type { Pace } from '../../shared/pace.ts';
import type { Bind } from '../binds/bind.ts';
import { readSubmitAnswer, type ShortMessage, submitBody } from '../codec/bodies.ts';
import { partsOf } from '../codec/parts.ts';
import { commands, type Pdu } from '../codec/pdu.ts';
import { isThrottling, notBound, ok, statusName, submissionOf } from '../codec/statuses.ts';
import type { SmppSettings } from '../options.ts';
import { domainId, type TrackedPart, type TrackedText, type Tracking } from './tracking.ts';

export type Submitting = {
  settings: SmppSettings;
  lanes: Pick<Lanes<Bind>, 'enter'>;
  pace: Pace;
  tracking: Tracking;
  counts: Counts;
  /** Tells the domain about a text that can't be delivered as a whole, once it has its id. */
  failed(text: TrackedText): void;
};

const retryMs = 200;

/**
 * Hands over a text. Its parts go one after another, so that one that isn't taken leaves nothing behind if it is the first.
 * Later ones are tried again for a while, since they were certainly not taken; a text that stays incomplete was accepted and
 * is undelivered. Once an answer is late or lost, no further part goes: a STOP may have come in the meantime.
 */
export function makeSubmit(submitting: Submitting): (text: OutgoingText) => Promise<Submission> {
  const { settings, tracking, failed } = submitting;
  let joinedBy = Math.floor(Math.random() * 0x10000);

  return async (text) => {
    joinedBy = (joinedBy + 1) % 0x10000;
    const messages = partsOf(text, joinedBy, settings);
    const tracked = tracking.begin(text, messages.length);
    const until = Math.min(text.beginBy ?? Number.POSITIVE_INFINITY, performance.now() + settings.times.beginMs);
    for (const [index, message] of messages.entries()) {
      const part = tracked.parts[index];
      if (!part) break;
      const outcome = await submitPart(submitting, { tracked, part, message, until }).catch((error) => {
        tracked.ended = true;
        throw error;
      });
      if (outcome === 'taken') continue;
      if (index === 0 && typeof outcome === 'object') {
        tracking.forget(tracked);
        return outcome;
      }
      break;
    }
    tracked.ended = true;
    if (tracked.parts.some(({ state }) => state === 'refused' || state === 'unsent')) failed(tracked);
    // Nobody will ask about it again.
    if (settings.registeredDelivery === 0) tracking.forget(tracked);
    return { accepted: domainId(tracked) };
  };
}

type PartSubmission = { tracked: TrackedText; part: TrackedPart; message: ShortMessage; until: number };

/** Why it wasn't taken, or that it was, maybe late. Throws if nobody knows. */
async function submitPart(
  submitting: Submitting,
  { tracked, part, message, until }: PartSubmission,
): Promise<'taken' | 'taken_late' | Exclude<Submission, { accepted: string }>> {
  const { settings, lanes } = submitting;
  const isFirst = part === tracked.parts[0];
  for (;;) {
    const bind = await lanes.enter(until);
    if (typeof bind === 'string') {
      tracked.code = bind;
      return { notTaken: bind };
    }
    part.state = 'asked';
    const { pdu, isLate } = await askOn(submitting, bind, { tracked, part, message });
    // A receipt told us its id before the answer did.
    if (!pdu) return 'taken_late';
    const { status } = pdu;
    if (status === ok) {
      tracked.code = null;
      return isLate ? 'taken_late' : 'taken';
    }
    if (status === notBound) void bind.session()?.unbind();
    tracked.code = statusName(status);
    const outcome = submissionOf(status, settings);
    const isRetried = !isFirst && !isLate && 'notTaken' in outcome && performance.now() + retryMs < until;
    part.state = 'notTaken' in outcome ? 'unsent' : 'refused';
    if (!isRetried) return outcome;
    await pause(retryMs);
  }
}

/** Its answer, or null if a receipt told its id before a late answer did. Throws if it was lost. */
function askOn(
  submitting: Submitting,
  bind: Bind,
  { tracked, part, message }: Omit<PartSubmission, 'until'>,
): Promise<{ pdu: Pdu | null; isLate: boolean }> {
  return new Promise((resolve, reject) => {
    let isLate = false;
    let isNamed = false;
    const leave = () => {
      if (!isLate) bind.left();
    };
    const lost = (error: Error) => {
      if (!isNamed) part.state = 'lost';
      leave();
      reject(error);
    };
    const session = bind.session();
    if (!session) return lost(new Error('The bind was lost.'));
    session.ask(commands.submit_sm, submitBody(message), {
      answered(pdu) {
        if (isDoubtful(pdu, submitting.settings)) return lost(new Error('The answer is a generic_nack.'));
        if (!isNamed) hear(submitting, bind, { tracked, part, pdu });
        leave();
        resolve({ pdu, isLate });
      },
      late() {
        leave();
        isLate = true;
        part.state = 'lost';
        submitting.tracking.whenNamed(tracked, () => {
          isNamed = true;
          resolve({ pdu: null, isLate });
        });
      },
      lost,
    });
  });
}

/**
 * What can't wait for a later turn: the text's id, since its receipt may be right behind the answer, and the pace, since other texts
 * wait for the place that is free now.
 */
function hear(
  { settings, tracking, pace, counts }: Submitting,
  bind: Bind,
  { tracked, part, pdu }: Pick<PartSubmission, 'tracked' | 'part'> & { pdu: Pdu },
): void {
  if (pdu.status === ok) {
    tracking.accepted(tracked, part, readSubmitAnswer(pdu));
    pace.accepted();
  } else if (isThrottling(pdu.status, settings)) {
    counts.throttled += 1;
    const { name, host } = bind.status();
    if (pace.throttled())
      settings.report({ connection: name, host, event: 'throttled', perSecond: pace.perSecond() ?? 0 });
  }
}

/**
 * A generic_nack says that the SMSC couldn't make sense of something, not what it did by then. Only one that asks us to slow down
 * says that the text wasn't taken.
 */
function isDoubtful({ command, status }: Pdu, settings: SmppSettings): boolean {
  return command === commands.generic_nack && !isThrottling(status, settings);
}
