import { Id, stringLengthMax } from '../shared/strings.ts';
import { Type } from '../shared/type.ts';

const text = () => Type.String({ minLength: 1, maxLength: stringLengthMax });

/** What an operator gives for an application's endpoint; without types it gets all. */
export const EndpointParams = Type.Object({ webhookId: Id() });
export const EndpointInput = Type.Object({
  url: Type.String({ minLength: 1, maxLength: 2000 }),
  types: Type.Optional(Type.Array(text(), { minItems: 1, maxItems: 20 })),
});
export const Redelivery = Type.Object({ eventId: text() });
