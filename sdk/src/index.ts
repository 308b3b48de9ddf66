export { Assent } from './client.ts';
export { AssentError, type ErrorCode } from './errors.ts';
export * as oauth from './oauth.ts';
export { Feed, type FeedOptions, Pages } from './pages.ts';
export type { ConsentFlowOptions, ConsentFlowState } from './resources/consent-flow.ts';
export type { AssentOptions, CallInfo, Hooks, TokenSource } from './transport.ts';
export type * from './types.ts';
export * as webhooks from './webhooks.ts';
