import { now } from '../api/clock.ts';
import { isInDoubt, post } from '../api/http.ts';
import { addItem, refresh } from '../api/live.ts';
import { client, findByPhone, scheduledQuery } from '../api/queries.ts';
import type { ConsentRequestResult, FailureReason, MessageRequest, MessageResult } from '../api/types.ts';
import { segmentsOf } from '../words/encoding.ts';
import { failureAdvice } from '../words/states.ts';
import { type Attempt, drop, keep, newKey } from './outbox.ts';

/** Accepted, refused with a reason, or without an answer: then it is kept with its key. */
export type SendResult = { memberId: number } | { refused: string } | { unanswered: true };

export async function send(made: Attempt): Promise<SendResult> {
  keep({ ...made, state: 'sending' });
  const { key, message } = made;
  try {
    const result = await post<MessageResult>('/v1/text/messaging/messages', { body: message, idempotencyKey: key });
    const [success] = result.successes;
    const [failed] = result.failureDetails;
    if (!success) {
      drop(key);
      return { refused: failed ? adviceOn(failed.code, failed.message) : 'It was not accepted.' };
    }
    const { messageId, memberId, status, deliverAfter } = success;
    if (messageId !== null)
      addItem(memberId, {
        id: `m${messageId}`,
        type: 'text',
        dateTime: made.at,
        messageId,
        kind: 'text',
        text: message.text,
        status: status === 'scheduled' ? 'queued' : status,
        failureCode: null,
        heldReason: null,
        deliverAfter: deliverAfter ?? null,
        handedOver: null,
        ended: null,
        waitedFor: null,
        segments: segmentsOf(message.text).segments,
        actor: 'advisor',
        application: null,
      });
    else void client.invalidateQueries({ queryKey: scheduledQuery.queryKey });
    drop(key);
    refresh(memberId);
    return { memberId };
  } catch (error) {
    // The same key finds out.
    if (isInDoubt(error, made.state === 'sending')) {
      keep({ ...made, state: 'unanswered' });
      return { unanswered: true };
    }
    drop(key);
    return { refused: (error as Error).message };
  }
}

/** A text in the thread, sent again: what is refused stays there, with the reason. */
export async function retry(made: Attempt): Promise<SendResult> {
  const outcome = await send(made);
  if ('refused' in outcome) keep({ ...made, state: 'refused', why: outcome.refused });
  return outcome;
}

export function newAttempt(phone: string, message: MessageRequest): Attempt {
  return { key: newKey(), phone, message, at: now(), state: 'sending' };
}

export async function requestConsent(phone: string, key: string, isFirstTry: boolean): Promise<SendResult> {
  try {
    const result = await post<ConsentRequestResult>('/v1/text/messaging/consent-requests', {
      body: { phoneNumbers: [phone] },
      idempotencyKey: key,
    });
    const [success] = result.successes;
    const [failed] = result.failureDetails;
    if (!success) return { refused: failed ? adviceOn(failed.code, failed.message) : 'It was not accepted.' };
    const memberId = success.memberId ?? (await findByPhone(phone))?.memberId;
    if (memberId === undefined) return { refused: 'It was not accepted.' };
    refresh(memberId);
    return { memberId };
  } catch (error) {
    return isInDoubt(error, isFirstTry) ? { unanswered: true } : { refused: (error as Error).message };
  }
}

function adviceOn(code: string, message: string): string {
  const advice = failureAdvice[code as FailureReason];
  return advice ? `${advice.what} ${advice.next}` : message;
}
