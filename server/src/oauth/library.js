// @ts-nocheck: the modules have no types of their own; library.d.ts gives them the index's.
/**
 * The parts of oidc-provider that we use, without its index, which prints a warning on every start if Node is not (yet)
 * an LTS release.
 */
export * as errors from 'oidc-provider/lib/helpers/errors.js';
export * as interactionPolicy from 'oidc-provider/lib/helpers/interaction_policy/index.js';
export { default as internals } from 'oidc-provider/lib/helpers/weak_cache.js';
export { Provider } from 'oidc-provider/lib/provider.js';
