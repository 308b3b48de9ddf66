import { draftLengthMax, type View, views } from '../../domain/conversations/conversations.ts';
import { Id, lastMs, Phone } from '../shared/strings.ts';
import { Type } from '../shared/type.ts';

/** What the advisor's own app sends. It is no contract: the app and the server change together. */

const Before = Type.Optional(Type.String({ maxLength: 40 }));

export const ConversationQuery = Type.Object({
  view: Type.Optional(Type.Unsafe<View>({ type: 'string', enum: views })),
  before: Before,
  phone: Type.Optional(Phone()),
});
export const ConversationParams = Type.Object({ memberId: Id() });
export const ItemQuery = Type.Object({
  before: Before,
  from: Type.Optional(Type.String({ pattern: '^[mr][0-9]{1,15}$' })),
});
export const ReadRequest = Type.Object({ upTo: Id() });
export const DoneRequest = Type.Object({ done: Type.Boolean() });
export const SnoozeRequest = Type.Object({
  until: Type.Unsafe<number | null>({ type: ['integer', 'null'], minimum: 0, maximum: lastMs }),
});
export const DraftRequest = Type.Object({ text: Type.String({ maxLength: draftLengthMax }) });
export const SearchQuery = Type.Object({ text: Type.String({ maxLength: 200 }) });
