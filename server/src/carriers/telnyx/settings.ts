import { type Static, Type } from 'typebox';
import { commonSettings } from '../http/settings.ts';

/** What an operator gives: see docs/operators/carriers-http.md. */
export const telnyxSettings = Type.Object(
  {
    apiKey: Type.String({ minLength: 1, description: 'An API key, from Mission Control.' }),
    publicKey: Type.String({
      pattern: '^[A-Za-z0-9+/]{43}=$',
      description: 'The account’s public key, from Mission Control. Telnyx signs its calls with the private one.',
    }),
    messagingProfileId: Type.Optional(
      Type.String({ minLength: 1, description: 'The messaging profile that has our numbers.' }),
    ),
    apiUrl: Type.Optional(Type.String({ description: 'If not https://api.telnyx.com/v2.' })),
    ...commonSettings,
  },
  { additionalProperties: false },
);

export const telnyxSecrets = ['apiKey'];

export type TelnyxSettings = Static<typeof telnyxSettings>;

export function credentialsOf({ apiKey }: TelnyxSettings): Record<string, string> {
  return { authorization: `Bearer ${apiKey}` };
}
