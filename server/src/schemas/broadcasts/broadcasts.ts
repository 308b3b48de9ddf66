import { peopleMax } from '../../domain/broadcasts/people.ts';
import { ChosenContacts } from '../address-book/listed-contacts.ts';
import { MessageText } from '../messages/messages.ts';
import { Id } from '../shared/strings.ts';
import { Type } from '../shared/type.ts';

/** What the advisor's own app sends. It is no contract: the app and the server change together. */

const Place = Type.Integer({ minimum: 0, maximum: peopleMax });

export const BroadcastParams = Type.Object({ broadcastId: Id() });
export const BroadcastQuery = Type.Object({ before: Type.Optional(Id()) });
export const RecipientQuery = Type.Object({
  after: Type.Optional(Place),
  only: Type.Optional(Type.Unsafe<'trouble'>({ type: 'string', enum: ['trouble'] })),
});
export const CheckRequest = Type.Object({ groupId: Id(), text: MessageText });
export const PreviewRequest = Type.Object({ groupId: Id(), text: MessageText, from: Type.Optional(Place) });
const Version = Type.String({ maxLength: 60 });
export const StartRequest = Type.Object({ groupId: Id(), text: MessageText, version: Version });
export const ConsentCheckRequest = Type.Object({ whom: ChosenContacts });
export const ConsentStartRequest = Type.Object({ whom: ChosenContacts, version: Version });
