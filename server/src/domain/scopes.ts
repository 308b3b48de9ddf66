/** The scopes of the contract, with what each grants in the words that an advisor reads. */
export const scopes = {
  'core.contacts.read': 'Read contacts and contact groups',
  'core.contacts.write': 'Create, update and delete contacts and groups',
  'core.content.read': 'Read content library items',
  'text.messaging.read': 'Read texting status',
  'text.messaging.write': 'Send and schedule texts, send consent requests',
  openid: 'Identity claims in the token',
  offline_access: 'Returns a refresh token',
} as const;

export type Scope = keyof typeof scopes;
export const allScopes = Object.keys(scopes) as Scope[];

export function isScope(text: string): text is Scope {
  return Object.hasOwn(scopes, text);
}
