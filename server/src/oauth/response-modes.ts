import { explain, type OAuthError } from './explanations.ts';
import { internals, type Provider, type ResponseMode } from './library.js';

/**
 * Puts every answer of the authorization endpoint in the query, errors too. If a request asked for it, or for a token,
 * the library would also post the answer in a form with a script, or put it in the fragment. Errors come in our words.
 */
export function answerInQueryOnly(provider: Provider): void {
  const { responseModes } = internals(provider);
  const query = responseModes.get('query');
  if (!query) throw new Error('The library has no response mode query.');
  const explained: ResponseMode = (ctx, redirectUri, answer) => query(ctx, redirectUri, inOurWords(answer));
  responseModes.delete('form_post');
  responseModes.set('query', explained);
  // The library relies on this mode to report an error in a request for a token.
  responseModes.set('fragment', explained);
  provider.Client.prototype.responseModeAllowed = (mode, type) => mode !== 'fragment' || type !== 'code';
}

function inOurWords(answer: object): object {
  return 'error' in answer ? { ...answer, error_description: explain(answer as OAuthError) } : answer;
}
