import { setTimeout as pause } from 'node:timers/promises';
import type { Course, CutShort, NotAccepted, OutgoingText, Submission } from '../../../../domain/ports.ts';
import type { ConnectionQueue } from '../../shared/connection-queue.ts';
import type { Counts } from '../../shared/counts.ts';
import type { Pace } from '../../shared/pace.ts';
import type { Bind } from '../binds/bind.ts';
import { readSubmitResponse, type ShortMessage, submitBody } from '../codec/bodies.ts';
import { partsOf } from '../codec/parts.ts';
import { commands, type Pdu } from '../codec/pdu.ts';
import { isThrottling, notBound, ok, submissionOf } from '../codec/statuses.ts';
import type { SmppSettings } from '../options.ts';
import { domainId, type TrackedPart, type TrackedText, type Tracking } from './tracking.ts';

type SubmissionContext = {
  settings: SmppSettings;
  queue: Pick<ConnectionQueue<Bind>, 'enter'>;
  pace: Pace;
  tracking: Tracking;
  counts: Counts;
};

/** The first pause before a part is tried again, and the longest. */
const retryMs = 200;
const retryMsMax = 2_000;
/** Nobody says how long the text lives, so it ends when the first part couldn't begin any more. */
const noCourse = ({ times }: SmppSettings): Course => {
  const until = performance.now() + times.beginMs;
  return { isOver: () => performance.now() > until, goesOn: () => {} };
};

/**
 * Hands over a text. Its parts go one after another, so that one that isn't taken leaves nothing behind if it is the first.
 * Later ones are tried again for as long as the text lives, since they were certainly not taken, and no other text of its number
 * begins meanwhile; what stays incomplete was accepted and is cut short. Once a response is lost, no further part goes.
 */
export function makeSubmit(
  submitting: SubmissionContext,
): (text: OutgoingText, course?: Course) => Promise<Submission> {
  const { settings, tracking } = submitting;
  const turns = makeTurns();
  let joinedBy = Math.floor(Math.random() * 0x10000);

  return async (text, course = noCourse(settings)) => {
    joinedBy = (joinedBy + 1) % 0x10000;
    const messages = partsOf(text, joinedBy, settings);
    const until = Math.min(text.beginBy ?? Number.POSITIVE_INFINITY, performance.now() + settings.times.beginMs);
    const ended = await turns.take(text.from, { isLong: messages.length > 1, until });
    if (!ended) return { notTaken: 'number_busy', unavailable: true };
    const tracked = tracking.begin(text, messages.length);
    try {
      return await submitParts(submitting, { tracked, messages, until, course });
    } finally {
      tracked.ended = true;
      ended();
    }
  };
}

type TextSubmission = { tracked: TrackedText; messages: ShortMessage[]; until: number; course: Course };

async function submitParts(
  submitting: SubmissionContext,
  { tracked, messages, until, course }: TextSubmission,
): Promise<Submission> {
  const { settings, tracking } = submitting;
  for (const [index, message] of messages.entries()) {
    const part = tracked.parts[index];
    if (!part) break;
    const submission = { tracked, part, message };
    const outcome =
      index === 0
        ? await submitPart(submitting, submission, until)
        : await submitUntilTaken(submitting, submission, course);
    if (outcome === 'taken') course.goesOn();
    else if (index > 0) return { accepted: domainId(tracked), cutShort: cutShort(tracked, outcome) };
    else {
      tracking.forget(tracked);
      return outcome;
    }
  }
  // Nobody will ask about it again.
  if (settings.registeredDelivery === 0) tracking.forget(tracked);
  return { accepted: domainId(tracked) };
}

function cutShort({ parts }: TrackedText, outcome: NotAccepted): CutShort {
  const partsSent = parts.filter(({ id }) => id !== null).length;
  const why =
    'refused' in outcome
      ? { ...outcome, reason: outcome.refused }
      : { reason: 'expired' as const, code: outcome.notTaken };
  return { reason: why.reason, ...(why.code && { code: why.code }), partsSent, parts: parts.length };
}

type PartSubmission = { tracked: TrackedText; part: TrackedPart; message: ShortMessage };

/** For a part that isn't the first: part of the text has left, so the rest of it should. */
async function submitUntilTaken(
  submitting: SubmissionContext,
  submission: PartSubmission,
  course: Course,
): Promise<'taken' | NotAccepted> {
  const { beginMs } = submitting.settings.times;
  for (let pauseMs = retryMs; ; pauseMs = Math.min(pauseMs * 2, retryMsMax)) {
    const outcome = await submitPart(submitting, submission, performance.now() + beginMs);
    if (typeof outcome === 'string' || 'refused' in outcome || course.isOver()) return outcome;
    course.goesOn();
    // No longer than waiting for a place may take: the time for a response is longer than that.
    await pause(Math.min(pauseMs, beginMs));
    course.goesOn();
  }
}

/** That it was taken, maybe late, or why it wasn't. Throws if nobody knows. */
async function submitPart(
  submitting: SubmissionContext,
  submission: PartSubmission,
  until: number,
): Promise<'taken' | NotAccepted> {
  const { settings, queue } = submitting;
  const { part } = submission;
  const bind = await queue.enter(until);
  if (typeof bind === 'string') return { notTaken: bind, unavailable: true };
  part.state = 'asked';
  const pdu = await askOn(submitting, bind, submission);
  // Without a response, a receipt told us its id.
  const status = pdu?.status ?? ok;
  if (status === ok) return 'taken';
  if (status === notBound) void bind.session()?.unbind();
  const outcome = submissionOf(status, settings);
  part.state = 'notTaken' in outcome ? 'unsent' : 'refused';
  return outcome;
}

/** Its response, or null if a receipt told its id before a late answer did. Throws if it was lost. */
function askOn(
  submitting: SubmissionContext,
  bind: Bind,
  { tracked, part, message }: PartSubmission,
): Promise<Pdu | null> {
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
        if (isDoubtful(pdu, submitting.settings)) return lost(new Error('The response is a generic_nack.'));
        if (!isNamed) hear(submitting, bind, { tracked, part, pdu });
        leave();
        resolve(pdu);
      },
      late() {
        leave();
        isLate = true;
        part.state = 'lost';
        submitting.tracking.whenNamed(tracked, () => {
          isNamed = true;
          resolve(null);
        });
      },
      lost,
    });
  });
}

/**
 * What can't wait for a later turn: the text's id, since its receipt may be right behind the response, and the pace, since other texts
 * wait for the place that is free now.
 */
function hear(
  { settings, tracking, pace, counts }: SubmissionContext,
  bind: Bind,
  { tracked, part, pdu }: Pick<PartSubmission, 'tracked' | 'part'> & { pdu: Pdu },
): void {
  if (pdu.status === ok) {
    tracking.accepted(tracked, part, readSubmitResponse(pdu));
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

/** A long text has its number to itself until its last part: other texts of that number begin after it, in their order. */
function makeTurns() {
  /** The numbers whose long text has parts left, and the end of it. */
  const busy = new Map<string, Promise<void>>();
  return {
    /** Waits for the number's turn, until then by performance.now(). Returns what ends it, or null if it didn't come in time. */
    async take(number: string, { isLong, until }: { isLong: boolean; until: number }): Promise<(() => void) | null> {
      for (let ended = busy.get(number); ended; ended = busy.get(number)) {
        const late = pause(Math.max(0, until - performance.now()), 'late', { ref: false });
        if ((await Promise.race([ended, late])) === 'late') return null;
      }
      if (!isLong) return () => {};
      const { promise, resolve } = Promise.withResolvers<void>();
      busy.set(number, promise);
      return () => {
        busy.delete(number);
        resolve();
      };
    },
  };
}
