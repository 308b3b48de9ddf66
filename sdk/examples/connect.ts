// How the examples reach the sandbox: `npm start` writes its addresses and credentials to sandbox.json. Your application reads its own
// from its settings.
import { readFileSync } from 'node:fs';
import { Assent, oauth } from '@assent/client';

export const sandbox = JSON.parse(readFileSync(process.env.SANDBOX_JSON ?? '.assent/sandbox.json', 'utf8'));

/** A client that acts for one of the sandbox's advisors, with client credentials. */
export function connectAs(email: string): Assent {
  const { baseUrl, tokenUrl, clientId, clientSecret, apiKey, advisors } = sandbox;
  const advisor = advisors.find((each: { email: string }) => each.email === email);
  const token = oauth.clientCredentials({ tokenUrl, clientId, clientSecret, advisorId: advisor.id });
  return new Assent({ baseUrl, apiKey, token });
}
