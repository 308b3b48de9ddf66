import type { Static } from 'typebox';
import { Type } from '../../../schemas/shared/type.ts';
import { commonSettings } from '../http/settings.ts';

const { Optional } = Type;
const secret = (description: string) => Type.String({ minLength: 1, description });
const sid = (prefix: string, description: string) =>
  Type.String({ pattern: `^${prefix}[0-9a-fA-F]{32}$`, description });

/** What an operator gives: see docs/operators/carriers-http.md. */
export const twilioSchema = Type.Object(
  {
    accountSid: sid('AC', 'The account, from the console.'),
    authToken: secret('The account’s auth token. Twilio signs its calls with it.'),
    otherAuthToken: Optional(secret('A second token that calls may be signed with, while one replaces the other.')),
    apiKeySid: Optional(sid('SK', 'An API key for our requests, instead of the auth token.')),
    apiKeySecret: Optional(secret('The secret of the API key.')),
    messagingServiceSid: Optional(sid('MG', 'The Messaging Service that has our numbers.')),
    apiUrl: Optional(Type.String({ description: 'Where texts are sent to, if not to https://api.twilio.com.' })),
    lookupsUrl: Optional(Type.String({ description: 'If not https://lookups.twilio.com.' })),
    ...commonSettings,
  },
  {
    additionalProperties: false,
    dependentRequired: { apiKeySid: ['apiKeySecret'], apiKeySecret: ['apiKeySid'] },
  },
);
export type TwilioSettings = Static<typeof twilioSchema>;
