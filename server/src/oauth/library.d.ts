import type { Provider } from 'oidc-provider';

export { errors, interactionPolicy, Provider } from 'oidc-provider';

export type ResponseMode = (ctx: object, redirectUri: string, response: object) => void;

/** A provider's private state; we use how it answers an authorization request. */
export function internals(provider: Provider): { responseModes: Map<string, ResponseMode> };
