import { type CommonSettings, commonSettings } from '../http/settings.ts';

/** What an operator gives: see docs/operators/carriers-http.md. */
export type TelnyxSettings = CommonSettings & {
  apiKey: string;
  publicKey: string;
  messagingProfileId?: string;
  apiUrl?: string;
};

export const telnyxSchema = {
  type: 'object',
  properties: {
    apiKey: { type: 'string', minLength: 1, description: 'An API key, from Mission Control.' },
    publicKey: {
      type: 'string',
      pattern: '^[A-Za-z0-9+/]{43}=$',
      description: 'The account’s public key, from Mission Control. Telnyx signs its calls with the private one.',
    },
    messagingProfileId: {
      type: 'string',
      minLength: 1,
      description: 'The messaging profile that has our numbers.',
    },
    apiUrl: { type: 'string', description: 'If not https://api.telnyx.com/v2.' },
    ...commonSettings,
  },
  required: ['apiKey', 'publicKey'],
  additionalProperties: false,
};

export const telnyxSecrets = ['apiKey'];

export function credentialsOf({ apiKey }: TelnyxSettings): Record<string, string> {
  return { authorization: `Bearer ${apiKey}` };
}
