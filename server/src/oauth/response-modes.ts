import { internals, type Provider } from './library.js';

/**
 * Puts every answer of the authorization endpoint in the query, errors too. If a request asked for it, or for a token,
 * the library would also post the answer in a form with a script, or put it in the fragment.
 */
export function answerInQueryOnly(provider: Provider): void {
  const { responseModes } = internals(provider);
  const query = responseModes.get('query');
  if (!query) throw new Error('The library has no response mode query.');
  responseModes.delete('form_post');
  // The library relies on this mode to report an error in a request for a token.
  responseModes.set('fragment', query);
  provider.Client.prototype.responseModeAllowed = (mode, type) => mode !== 'fragment' || type !== 'code';
}
