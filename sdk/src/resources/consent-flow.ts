import { AssentError } from '../errors.ts';
import type { FailureDetail, MessageRequest, MessageResult, PostOptions } from '../types.ts';
import { type Consents, consentWaitMs } from './consents.ts';

/** Where a flow is. Store it as JSON, and pass it to go on after a restart. */
export type ConsentFlowState = {
  idempotencyKey: string;
  /** When a send began whose answer isn't known yet, in epoch milliseconds. */
  sendingAt?: number;
  /** When the person was asked last, in epoch milliseconds. */
  askedAt?: number;
};

export type ConsentFlowOptions = PostOptions & {
  /** Follow the documented flow from here instead of leaving it to the server. */
  poll?: boolean;
  /** With `poll`: how far an earlier run came. */
  state?: ConsentFlowState | undefined;
  /** With `poll`: called before each step, so that it can be stored. */
  onState?: ((state: ConsentFlowState) => void | Promise<void>) | undefined;
};

/** How long the server knows an idempotency key. */
const keyKeptMs = 24 * 60 * 60 * 1000;

export async function sendWithConsent(
  send: (message: MessageRequest, options: PostOptions) => Promise<MessageResult>,
  consents: Consents,
  message: MessageRequest,
  { poll = false, state, onState, ...options }: ConsentFlowOptions,
): Promise<MessageResult> {
  if (!poll) return send({ ...message, whenConsented: true }, options);
  const { phone } = message;
  if (!phone || message.phoneNumbers?.length) throw new TypeError('With poll, a message has one recipient: phone.');
  const flow: ConsentFlowState = state
    ? { ...state }
    : { idempotencyKey: options.idempotencyKey ?? crypto.randomUUID() };
  if (flow.sendingAt !== undefined && Date.now() - flow.sendingAt >= keyKeptMs)
    throw new AssentError(
      'A send began more than 24 hours ago, and whether it texted isn’t known. See messages.list() before you send it anew.',
      { code: 'in_doubt' },
    );
  // A send in which nobody succeeded doesn't use up its key, so both sends have the same one: only one of them can text.
  const sendOnce = async () => {
    // The first one counts: repeating a send doesn't make its key last longer.
    flow.sendingAt ??= Date.now();
    await onState?.(flow);
    const sent = await send(message, { ...options, idempotencyKey: flow.idempotencyKey });
    if (sent.successes.length === 0) delete flow.sendingAt;
    return sent;
  };

  const first = await sendOnce();
  const failure = consentFailure(first);
  if (!failure) return first;

  const isPending = failure.code === 'consent_pending';
  // Somebody else may have asked them.
  if (isPending) flow.askedAt ??= (await consents.get({ phone }, options)).lastChanged;
  // Also after a restart: if an earlier run stored that it asks, but its request didn't arrive, they aren't pending.
  const asks = !isPending || leftMs(flow) <= 0;
  if (asks) flow.askedAt = Date.now();
  // Also if it only waits: a run that stops meanwhile has no send whose answer isn't known.
  await onState?.(flow);
  if (asks) {
    // The first request has the same key: each path has its own. With it, one a day later could get the answer of the first.
    const idempotencyKey = isPending ? undefined : flow.idempotencyKey;
    const asked = await ask(consents, phone, { ...options, idempotencyKey });
    if (!asked) return sendOnce();
  }
  await consents.waitFor({ phone }, { signal: options.signal, within: leftMs(flow) });
  // Whatever they answered: the first send says nothing about a STOP meanwhile.
  return sendOnce();
}

/** How long the request is waited for; they stay pending after that, and may have forgotten it. */
function leftMs({ askedAt = Date.now() }: ConsentFlowState): number {
  return askedAt + consentWaitMs - Date.now();
}

/** Only these go on: somebody who opted out is never asked. */
function consentFailure({ successes, failureDetails }: MessageResult): FailureDetail | undefined {
  if (successes.length > 0) return undefined;
  return failureDetails.find(({ code }) => code === 'not_consented' || code === 'consent_pending');
}

/** False if they can't be asked. True also if they accepted a moment ago, which the server refuses to ask about. */
async function ask(consents: Consents, phone: string, options: PostOptions): Promise<boolean> {
  try {
    const { successes } = await consents.request({ phoneNumbers: [phone] }, options);
    return successes.length > 0;
  } catch (error) {
    if (!(error instanceof AssentError) || error.code !== 'invalid_request') throw error;
    const { state } = await consents.get({ phone }, options);
    if (state !== 'accepted') throw error;
    return true;
  }
}
