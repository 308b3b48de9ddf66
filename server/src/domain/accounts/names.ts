import { problem } from '../problems.ts';
import { hasControlCharacters, isBlank } from '../shared/text/text-rules.ts';

/** In code points. */
export const nameLengthMax = 200;

/** The name of a firm, an advisor or somebody on the staff: it goes into texts, pages and terminals. `whose` begins a sentence. */
export function checkName(whose: string, name: string): void {
  if (isBlank(name)) throw problem('invalid_request', `${whose} needs a name.`);
  if ([...name].length > nameLengthMax)
    throw problem('invalid_request', `A name can have at most ${nameLengthMax} characters.`);
  if (/[\t\n\r\u2028\u2029]/.test(name.trim()) || hasControlCharacters(name))
    throw problem('invalid_request', 'A name can’t contain line breaks or other control characters.');
}
