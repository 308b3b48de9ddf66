/** The contract's scopes, and what each grants in the contract's words. */
export const scopes = {
  'core.contacts.read': 'Read contacts and contact groups',
  'core.contacts.write': 'Create, update and delete contacts and groups',
  'core.content.read': 'Read content library items',
  'text.messaging.read': 'Read texting status',
  'text.messaging.write': 'Send and schedule texts, send consent requests',
  openid: 'Identity claims in the token',
  offline_access: 'Returns a refresh token',
} as const;

/** The same in words for the advisor who is asked to allow them. */
export const scopesForAdvisors: Record<Scope, string> = {
  openid: 'Know who you are: your name and email address',
  'core.contacts.read': 'See your contacts and contact groups',
  'core.contacts.write': 'Add, change and delete your contacts and contact groups',
  'core.content.read': 'See your content library',
  'text.messaging.read': 'See which contacts agreed to texts, and the status of the texts you sent',
  'text.messaging.write': 'Send and schedule texts in your name, and ask contacts to agree to texts',
  offline_access: 'Keep this access until you disconnect it',
};

export type Scope = keyof typeof scopes;
export const allScopes = Object.keys(scopes) as Scope[];
/** What it takes to be told about texts and consent. */
export const eventScope = 'text.messaging.read' satisfies Scope;
/** The only scopes that client credentials can carry. */
export const textScopes = allScopes.filter((scope) => scope.startsWith('text.'));

export function isScope(text: string): text is Scope {
  return Object.hasOwn(scopes, text);
}
