import type { SmppSettings } from '../options.ts';

/**
 * SMSCs that write a message's number in hexadecimal in the response and in decimal in the receipt, or the reverse, and with
 * zeros before it or not.
 */
type Spelling = SmppSettings['messageIds'];

/** The id that the domain keeps for an accepted text. Where both spellings are numbers, it is the number in decimal. */
export function acceptedId(inResponse: string, spelling: Spelling): string {
  if (spelling === 'hex') return decimalOf(inResponse, 'hex') ?? inResponse;
  if (spelling === 'decimal') return decimalOf(inResponse, 'decimal') ?? inResponse;
  return inResponse;
}

/** The ids that a receipt may mean, the most likely first. If the spelling is set, there is one. */
export function receiptIds(inReceipt: string, spelling: Spelling): string[] {
  if (spelling === 'hex') return [decimalOf(inReceipt, 'decimal') ?? inReceipt];
  if (spelling === 'decimal') return [decimalOf(inReceipt, 'hex') ?? inReceipt];
  if (spelling === 'same') return [inReceipt];
  const ids = [plainId(inReceipt)];
  for (const id of [hexOf(inReceipt), decimalOf(inReceipt, 'hex')]) if (id !== null && !ids.includes(id)) ids.push(id);
  return ids;
}

/** Under which a text is remembered: without the case and the zeros that differ between answer and receipt. */
export function plainId(id: string): string {
  return /^[0-9a-f]+$/i.test(id) ? id.toLowerCase().replace(/^0+(?=.)/, '') : id;
}

function decimalOf(id: string, base: 'hex' | 'decimal'): string | null {
  const digits = base === 'hex' ? /^(?:0x)?([0-9a-f]{1,64})$/i : /^([0-9]{1,64})$/;
  const found = digits.exec(id)?.[1];
  return found ? BigInt(base === 'hex' ? `0x${found}` : found).toString() : null;
}

/** A decimal number in hexadecimal. */
function hexOf(id: string): string | null {
  const decimal = decimalOf(id, 'decimal');
  return decimal === null ? null : BigInt(decimal).toString(16);
}
