import { type CommonSettings, commonSettings } from '../http/settings.ts';

/** What an operator gives: see docs/operators/carriers-http.md. */
export type TwilioSettings = CommonSettings & {
  accountSid: string;
  authToken: string;
  otherAuthToken?: string;
  apiKeySid?: string;
  apiKeySecret?: string;
  messagingServiceSid?: string;
  apiUrl?: string;
  lookupsUrl?: string;
};

export const twilioSchema = {
  type: 'object',
  properties: {
    accountSid: { type: 'string', pattern: '^AC[0-9a-fA-F]{32}$', description: 'The account, from the console.' },
    authToken: {
      type: 'string',
      minLength: 1,
      description: 'The account’s auth token. Twilio signs its calls with it.',
    },
    otherAuthToken: {
      type: 'string',
      minLength: 1,
      description: 'A second token that calls may be signed with, while one replaces the other.',
    },
    apiKeySid: {
      type: 'string',
      pattern: '^SK[0-9a-fA-F]{32}$',
      description: 'An API key for our requests, instead of the auth token.',
    },
    apiKeySecret: { type: 'string', minLength: 1, description: 'The secret of the API key.' },
    messagingServiceSid: {
      type: 'string',
      pattern: '^MG[0-9a-fA-F]{32}$',
      description: 'The Messaging Service that has our numbers.',
    },
    apiUrl: { type: 'string', description: 'Where texts are sent to, if not to https://api.twilio.com.' },
    lookupsUrl: { type: 'string', description: 'If not https://lookups.twilio.com.' },
    ...commonSettings,
  },
  required: ['accountSid', 'authToken'],
  additionalProperties: false,
  dependentRequired: { apiKeySid: ['apiKeySecret'], apiKeySecret: ['apiKeySid'] },
};

export const twilioSecrets = ['authToken', 'otherAuthToken', 'apiKeySecret'];

/** For requests to Twilio. */
export function credentialsOf(settings: TwilioSettings): Record<string, string> {
  const { accountSid, authToken, apiKeySid = accountSid, apiKeySecret = authToken } = settings;
  return { authorization: `Basic ${Buffer.from(`${apiKeySid}:${apiKeySecret}`).toString('base64')}` };
}
