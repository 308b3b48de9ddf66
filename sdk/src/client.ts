import { Account } from './resources/account.ts';
import { Consents } from './resources/consents.ts';
import { Contacts } from './resources/contacts.ts';
import { Content } from './resources/content.ts';
import { Events } from './resources/events.ts';
import { Groups } from './resources/groups.ts';
import { Messages } from './resources/messages.ts';
import { ScheduledMessages } from './resources/scheduled-messages.ts';
import { type AssentOptions, Transport } from './transport.ts';

/** The API, for the advisor that the token acts for. */
export class Assent {
  readonly messages: Messages;
  readonly consents: Consents;
  readonly scheduledMessages: ScheduledMessages;
  readonly contacts: Contacts;
  readonly groups: Groups;
  readonly content: Content;
  readonly events: Events;
  readonly account: Account;

  constructor(options: AssentOptions) {
    const transport = new Transport(options);
    this.consents = new Consents(transport);
    this.messages = new Messages(transport, this.consents);
    this.scheduledMessages = new ScheduledMessages(transport);
    this.contacts = new Contacts(transport);
    this.groups = new Groups(transport);
    this.content = new Content(transport);
    this.events = new Events(transport);
    this.account = new Account(transport);
  }
}
