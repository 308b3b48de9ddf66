import type { Pages } from '../pages.ts';
import type { Transport } from '../transport.ts';
import type { CallOptions, ScheduledMessage, ScheduledMessageChange, ScheduledMessageFilter } from '../types.ts';

const path = '/text/messaging/scheduled-messages/{scheduledMessageId}';

/** Schedule with `messages.send({ scheduleDelivery: true, deliveryDate, … })`. */
export class ScheduledMessages {
  readonly #transport: Transport;

  constructor(transport: Transport) {
    this.#transport = transport;
  }

  list(filter: ScheduledMessageFilter = {}, options: CallOptions = {}): Pages<ScheduledMessage> {
    return this.#transport.pages('/text/messaging/scheduled-messages', filter, options);
  }

  get(scheduledMessageId: number, options: CallOptions = {}): Promise<ScheduledMessage> {
    return this.#transport.request({ method: 'GET', path, ids: { scheduledMessageId }, ...options });
  }

  /** What is left out stays. */
  update(
    scheduledMessageId: number,
    change: ScheduledMessageChange,
    options: CallOptions = {},
  ): Promise<ScheduledMessage> {
    return this.#transport.request({ method: 'PUT', path, ids: { scheduledMessageId }, body: change, ...options });
  }

  /** Rejects with `not_found` if it is no longer scheduled; the message says whether it has gone out. */
  cancel(scheduledMessageId: number, options: CallOptions = {}): Promise<void> {
    // After a lost answer: it may have been canceled then, or have gone out since.
    const isDone = async () => (await this.get(scheduledMessageId, options)).status === 'canceled';
    return this.#transport.request({ method: 'DELETE', path, ids: { scheduledMessageId }, isDone, ...options });
  }
}
