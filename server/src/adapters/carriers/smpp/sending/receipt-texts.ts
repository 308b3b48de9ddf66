import type { UndeliveredReason } from '../../../../domain/ports.ts';
import { type OptionalParameters, tags, textIn } from '../codec/fields.ts';
import type { SmppSettings } from '../options.ts';

/** What a receipt says. `state` is null if it is only a step on the way, or says nothing. */
export type ReadReceipt = {
  messageId: string;
  state: 'delivered' | 'undelivered' | null;
  code: string | null;
  /** The beginning of the text, if the SMSC repeats it. */
  beginning: string | null;
};

type State = ReadReceipt['state'];

/** By `message_state` (SMPP 3.4, 5.2.28). Unknown says nothing: the text may still have arrived. */
const states: Record<number, { name: string; state: State }> = {
  1: { name: 'ENROUTE', state: null },
  2: { name: 'DELIVRD', state: 'delivered' },
  3: { name: 'EXPIRED', state: 'undelivered' },
  4: { name: 'DELETED', state: 'undelivered' },
  5: { name: 'UNDELIV', state: 'undelivered' },
  6: { name: 'ACCEPTD', state: null },
  7: { name: 'UNKNOWN', state: null },
  8: { name: 'REJECTD', state: 'undelivered' },
};

/** The beginnings of the words that SMSCs write: DELIVRD and DELIVERED, UNDELIV and UNDELIVERABLE. */
const words: [beginning: string, name: string, state: State][] = [
  ...Object.values(states).map(({ name, state }): [string, string, State] => [name, name, state]),
  ['DELIV', 'DELIVRD', 'delivered'],
  ['UNDEL', 'UNDELIV', 'undelivered'],
  ['REJECT', 'REJECTD', 'undelivered'],
  ['EXPIR', 'EXPIRED', 'undelivered'],
  ['DELETE', 'DELETED', 'undelivered'],
  ['FAIL', 'UNDELIV', 'undelivered'],
];

/** Null if neither the parameters nor the text are a receipt's. */
export function readReceipt(text: string, parameters: OptionalParameters): ReadReceipt | null {
  const fields = fieldsIn(text);
  const messageId = textIn(parameters, tags.receipted_message_id)?.trim() || fields.id || null;
  if (messageId === null) return null;
  const said = sayingOf(parameters.get(tags.message_state)?.at(-1), fields.stat);
  if (!said) return null;
  const beginning = fields.text || null;
  return { messageId, state: said.state, code: codeOf(said.name, fields.err, parameters), beginning };
}

/** What the code of an undelivered text means, if it is more than that. The error in it is the network's own. */
export function reasonOf(
  code: string,
  { receiptErrors }: Pick<SmppSettings, 'receiptErrors'>,
): { reason?: UndeliveredReason } {
  const [state, error = ''] = code.split(' ');
  // The carrier writes the error, so it may be the name of what every object has.
  const reason = Object.hasOwn(receiptErrors, error) ? receiptErrors[error] : undefined;
  if (reason) return { reason };
  return state === 'REJECTD' ? { reason: 'rejected' } : {};
}

/** The parameter and the text may disagree: then whichever is final counts, the parameter first. */
function sayingOf(state: number | undefined, word: string | undefined): { name: string; state: State } | null {
  const byParameter = state === undefined ? null : (states[state] ?? null);
  const byText = word === undefined ? null : readWord(word);
  return [byParameter, byText].find((each) => each?.state) ?? byParameter ?? byText;
}

function readWord(word: string): { name: string; state: State } {
  const upper = word.toUpperCase();
  const known = words.find(([beginning]) => upper.startsWith(beginning));
  return known ? { name: known[1], state: known[2] } : { name: upper, state: null };
}

/** The state, and the network's own error if there is one: `UNDELIV 034`. */
function codeOf(name: string, error: string | undefined, parameters: OptionalParameters): string | null {
  if (error !== undefined && !/^0*$/.test(error)) return `${name} ${error}`;
  const network = parameters.get(tags.network_error_code);
  const number = network?.length === 3 ? network.readUInt16BE(1) : 0;
  return number === 0 ? name : `${name} ${String(number).padStart(3, '0')}`;
}

/** Of the fields of a receipt, those that are read. */
type Fields = Partial<Record<'id' | 'stat' | 'err' | 'text', string | undefined>>;

/** Nobody's receipt is longer; the text at its end isn't ours to read. */
const receiptLengthMax = 1_000;
const anyField = '(?:id|sub|dlvrd|submit[ _]?date|done[ _]?date|stat|err|text)\\s*[:=]';
const [idField, statField, errField] = ['id', 'stat', 'err'].map(
  (name) => new RegExp(`\\b${name}\\s*[:=]\\s*(?!${anyField})([^\\s,;|]*)`, 'i'),
) as [RegExp, RegExp, RegExp];
const textField = /\btext\s*[:=]\s*/i;

/** Fields in any order and case (SMPP 3.4, Appendix B), separated by spaces or by other signs. `text` takes the rest. */
function fieldsIn(receipt: string): Fields {
  const found = textField.exec(receipt.slice(0, receiptLengthMax));
  const head = receipt.slice(0, found?.index ?? receiptLengthMax);
  const valueIn = (field: RegExp) => field.exec(head)?.[1];
  const text = found ? receipt.slice(found.index + found[0].length).trim() : undefined;
  return { id: valueIn(idField), stat: valueIn(statField), err: valueIn(errField), text };
}
