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

  cancel(scheduledMessageId: number, options: CallOptions = {}): Promise<void> {
    return this.#transport.request({ method: 'DELETE', path, ids: { scheduledMessageId }, ...options });
  }
}
