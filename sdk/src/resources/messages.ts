import type { Pages } from '../pages.ts';
import type { Transport } from '../transport.ts';
import type {
  CallOptions,
  MessageCheckResult,
  MessageFilter,
  MessageRequest,
  MessageResult,
  MessageStatus,
  PostOptions,
} from '../types.ts';
import { type ConsentFlowOptions, sendWithConsent } from './consent-flow.ts';
import type { Consents } from './consents.ts';

export class Messages {
  readonly #transport: Transport;
  readonly #consents: Consents;

  constructor(transport: Transport, consents: Consents) {
    this.#transport = transport;
    this.#consents = consents;
  }

  /** Sends or schedules a text. A recipient who can't get it is in `failures`, not an error. */
  send(message: MessageRequest, options: PostOptions = {}): Promise<MessageResult> {
    return this.#transport.request({ method: 'POST', path: '/text/messaging/messages', body: message, ...options });
  }

  /** What would become of each recipient of a send. Nothing is done. */
  check(message: MessageRequest, options: CallOptions = {}): Promise<MessageCheckResult> {
    return this.#transport.request({
      method: 'POST',
      path: '/text/messaging/messages/check',
      body: message,
      ...options,
    });
  }

  get(messageId: number, options: CallOptions = {}): Promise<MessageStatus> {
    return this.#transport.request({
      method: 'GET',
      path: '/text/messaging/messages/{messageId}',
      ids: { messageId },
      ...options,
    });
  }

  /** Newest first. */
  list(filter: MessageFilter = {}, options: CallOptions = {}): Pages<MessageStatus> {
    return this.#transport.pages('/text/messaging/messages', filter, options);
  }

  /**
   * Texts somebody who may not have consented yet. In one call, the server asks them, keeps the text for 24 hours and sends it
   * when they accept. With `poll`, this client does that instead: it sends, asks, waits for the consent and sends again. After 24 hours
   * without an answer it rejects with the code `timeout`; called again, it asks again.
   */
  sendWithConsent(message: MessageRequest, options: ConsentFlowOptions = {}): Promise<MessageResult> {
    return sendWithConsent((...sent) => this.send(...sent), this.#consents, message, options);
  }
}
