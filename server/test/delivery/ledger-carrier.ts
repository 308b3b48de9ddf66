import { setTimeout as pause } from 'node:timers/promises';
import type { Carrier, OutgoingText, Receipt, Submission } from '../../src/domain/ports.ts';

/** What the carrier does with a text, and what it tells us about it. */
export const behaviors = [
  'takes it',
  'takes it and confirms it',
  'refuses it',
  'does not take it',
  'takes it and throws',
  'throws',
  'says opted out',
  'takes it and answers late',
  'answers late that it did not take it',
] as const;
export type Behavior = (typeof behaviors)[number];

/** A text that went to a phone; `answered` once we know its id. */
export type TakenText = OutgoingText & { id: string; answered: boolean };
type HandedText = OutgoingText & { behavior: Behavior };

/** A carrier in memory that behaves as told and keeps a ledger of every text it took. */
export class LedgerCarrier implements Carrier {
  readonly name = 'ledger';
  readonly ledger: TakenText[] = [];
  /** Every submission, taken or not. */
  readonly handed: HandedText[] = [];
  readonly receipts = new Map<string, Set<Receipt['status']>>();
  readonly #ids: string;
  readonly #late: (() => void)[] = [];
  /** One for each of the next submissions; it takes the rest. */
  next: Behavior[] = [];
  decide: (text: OutgoingText) => Behavior = () => this.next.shift() ?? 'takes it';
  /** Called with each submission, before anything is answered. */
  onSubmit: () => void = () => {};
  /** Where it brings a receipt that follows its answer at once. */
  deliver: (receipt: Receipt) => Promise<void> = async () => {};
  readonly #delivering = new Set<Promise<void>>();
  /** Whether its answers reach anybody. */
  isHeard: () => boolean = () => true;

  constructor(ids: string) {
    this.#ids = ids;
  }

  get nextId(): string {
    return `${this.#ids}-${this.ledger.length}`;
  }

  check(): null {
    return null;
  }

  listen(): () => Promise<void> {
    return async () => {};
  }

  async submit(text: OutgoingText): Promise<Submission> {
    const behavior = this.decide(text);
    this.handed.push({ ...text, behavior });
    this.onSubmit();
    switch (behavior) {
      case 'takes it':
        return this.#tell(this.#take(text));
      case 'takes it and confirms it': {
        const taken = this.#take(text);
        this.#confirm(taken.id);
        return this.#tell(taken);
      }
      case 'refuses it':
        return { refused: 'rejected' };
      case 'does not take it':
        return { notTaken: 'busy' };
      case 'takes it and throws':
        this.#take(text);
        throw new Error('The answer was lost.');
      case 'throws':
        throw new Error('The text was lost.');
      case 'says opted out':
        return { refused: 'opted_out' };
      case 'takes it and answers late': {
        const taken = this.#take(text);
        return this.#later(() => this.#tell(taken));
      }
      case 'answers late that it did not take it':
        return this.#later(() => ({ notTaken: 'busy' }));
    }
  }

  /** Gives all late answers. */
  answerLate(): void {
    for (const answer of this.#late.splice(0)) answer();
  }

  /** Resolves once every receipt that followed an answer has been received. */
  async delivered(): Promise<void> {
    await Promise.all(this.#delivering);
  }

  #confirm(carrierMessageId: string): void {
    const status = 'delivered';
    this.receipts.set(carrierMessageId, (this.receipts.get(carrierMessageId) ?? new Set()).add(status));
    const delivering = pause(1)
      .then(() => this.deliver({ carrierMessageId, status }))
      .finally(() => this.#delivering.delete(delivering));
    this.#delivering.add(delivering);
  }

  #take(text: OutgoingText): TakenText {
    const taken = { ...text, id: this.nextId, answered: false };
    this.ledger.push(taken);
    return taken;
  }

  #tell(taken: TakenText): Submission {
    taken.answered = this.isHeard();
    return { accepted: taken.id };
  }

  #later(answer: () => Submission): Promise<Submission> {
    return new Promise((resolve) => this.#late.push(() => resolve(answer())));
  }
}
