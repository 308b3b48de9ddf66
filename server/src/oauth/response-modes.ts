import { explain, type OAuthError } from './explanations.ts';
import { internals, type Provider, type ResponseMode } from './library.js';

/**
 * Puts every response of the authorization endpoint in the query, errors too. If a request asked for it, or for a token,
 * the library would also post the response in a form with a script, or put it in the fragment. Errors come in our words.
 */
export function respondInQueryOnly(provider: Provider): void {
  const { responseModes } = internals(provider);
  const query = responseModes.get('query');
  if (!query) throw new Error('The library has no response mode query.');
  const explained: ResponseMode = (ctx, redirectUri, response) => query(ctx, redirectUri, inOurWords(response));
  responseModes.delete('form_post');
  responseModes.set('query', explained);
  // The library relies on this mode to report an error in a request for a token.
  responseModes.set('fragment', explained);
  provider.Client.prototype.responseModeAllowed = (mode, type) => mode !== 'fragment' || type !== 'code';
}

function inOurWords(response: object): object {
  return 'error' in response ? { ...response, error_description: explain(response as OAuthError) } : response;
}
