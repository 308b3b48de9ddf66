import { type Static, Type } from 'typebox';
import { commonSettings } from '../http/settings.ts';

/** What an operator gives: see docs/operators/carriers-http.md. */
export const twilioSettings = Type.Object(
  {
    accountSid: Type.String({ pattern: '^AC[0-9a-fA-F]{32}$', description: 'The account, from the console.' }),
    authToken: Type.String({ minLength: 1, description: 'The account’s auth token. Twilio signs its calls with it.' }),
    otherAuthToken: Type.Optional(
      Type.String({
        minLength: 1,
        description: 'A second token that calls may be signed with, while one replaces the other.',
      }),
    ),
    apiKeySid: Type.Optional(
      Type.String({
        pattern: '^SK[0-9a-fA-F]{32}$',
        description: 'An API key for our requests, instead of the auth token.',
      }),
    ),
    apiKeySecret: Type.Optional(Type.String({ minLength: 1, description: 'The secret of the API key.' })),
    messagingServiceSid: Type.Optional(
      Type.String({ pattern: '^MG[0-9a-fA-F]{32}$', description: 'The Messaging Service that has our numbers.' }),
    ),
    apiUrl: Type.Optional(Type.String({ description: 'Where texts are sent to, if not to https://api.twilio.com.' })),
    lookupsUrl: Type.Optional(Type.String({ description: 'If not https://lookups.twilio.com.' })),
    ...commonSettings,
  },
  { additionalProperties: false, dependentRequired: { apiKeySid: ['apiKeySecret'], apiKeySecret: ['apiKeySid'] } },
);

export const twilioSecrets = ['authToken', 'otherAuthToken', 'apiKeySecret'];

export type TwilioSettings = Static<typeof twilioSettings>;

/** For requests to Twilio. */
export function credentialsOf(settings: TwilioSettings): Record<string, string> {
  const { accountSid, authToken, apiKeySid = accountSid, apiKeySecret = authToken } = settings;
  return { authorization: `Basic ${Buffer.from(`${apiKeySid}:${apiKeySecret}`).toString('base64')}` };
}
