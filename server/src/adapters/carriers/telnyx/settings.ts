import type { Static } from 'typebox';
import { Type } from '../../../schemas/shared/type.ts';
import { commonSettings } from '../http/settings.ts';

const { Optional } = Type;

/** What an operator gives: see docs/operators/carriers-http.md. */
export const telnyxSchema = Type.Object(
  {
    apiKey: Type.String({ minLength: 1, description: 'An API key, from Mission Control.' }),
    publicKey: Type.String({
      pattern: '^[A-Za-z0-9+/]{43}=$',
      description: 'The account’s public key, from Mission Control. Telnyx signs its calls with the private one.',
    }),
    messagingProfileId: Optional(
      Type.String({ minLength: 1, description: 'The messaging profile that has our numbers.' }),
    ),
    apiUrl: Optional(Type.String({ description: 'If not https://api.telnyx.com/v2.' })),
    ...commonSettings,
  },
  { additionalProperties: false },
);
export type TelnyxSettings = Static<typeof telnyxSchema>;
