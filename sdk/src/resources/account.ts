import type { Transport } from '../transport.ts';
import type { Account as AccountDetail, CallOptions, Enumerations } from '../types.ts';

export class Account {
  readonly #transport: Transport;

  constructor(transport: Transport) {
    this.#transport = transport;
  }

  /** The advisor that the token acts for, and what it may do. */
  get(options: CallOptions = {}): Promise<AccountDetail> {
    return this.#transport.request({ method: 'GET', path: '/core/account', ...options });
  }

  /** Every numbered value of the API with its word. */
  enumerations(options: CallOptions = {}): Promise<Enumerations> {
    return this.#transport.request({ method: 'GET', path: '/core/enumerations', ...options });
  }
}
