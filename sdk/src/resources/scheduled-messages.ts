import { Pages } from '../pages.ts';
import type { Transport } from '../transport.ts';
import type { CallOptions, Page, ScheduledMessage, ScheduledMessageChange, ScheduledMessageFilter } from '../types.ts';

const path = '/text/messaging/scheduled-messages/{scheduledMessageId}';

/** Schedule with `messages.send({ scheduleDelivery: true, deliveryDate, … })`. */
export class ScheduledMessages {
  readonly #transport: Transport;

  constructor(transport: Transport) {
    this.#transport = transport;
  }

  list(filter: ScheduledMessageFilter = {}, options: CallOptions = {}): Pages<ScheduledMessage> {
    const read = (page: number): Promise<Page<ScheduledMessage>> =>
      this.#transport.request({
        method: 'GET',
        path: '/text/messaging/scheduled-messages',
        query: { ...filter, page },
        ...options,
      });
    return new Pages(read, filter.page);
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
