import { internals, type Provider } from './library.js';

/**
 * Every answer of the authorization endpoint goes in the query, errors too. The library would also post it by a form
 * with a script, or put it in the fragment, wherever the request asks for that, or for a token.
 */
export function answerInQueryOnly(provider: Provider): void {
  const { responseModes } = internals(provider);
  const query = responseModes.get('query');
  if (!query) throw new Error('The library has no response mode query.');
  responseModes.delete('form_post');
  // Where it says what is wrong with a request for a token, it takes this one for granted.
  responseModes.set('fragment', query);
  provider.Client.prototype.responseModeAllowed = (mode, type) => mode !== 'fragment' || type !== 'code';
}
