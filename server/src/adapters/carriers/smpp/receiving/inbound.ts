import type { Counts } from '../../shared/counts.ts';
import type { Receive } from '../binds/session.ts';
import { readAddress } from '../codec/addresses.ts';
import { readText } from '../codec/alphabets.ts';
import { readMessage, type ShortMessage, takenBody } from '../codec/bodies.ts';
import { numberIn, tags } from '../codec/fields.ts';
import type { SmppSettings } from '../options.ts';
import { type ReadReceipt, readReceipt } from '../sending/receipt-texts.ts';
import type { Receipts } from '../sending/receipts.ts';
import type { Replies } from './replies.ts';

/** `esm_class`, bits 5 to 2: what kind of message it is (SMPP 3.4, 5.2.12). */
const kinds = { mask: 0x3c, text: 0x00, receipt: 0x04, intermediate: 0x20 };
const headerFollows = 0x40;

/** What the SMSC sends: a person's text, or a receipt. It is confirmed once this resolves. */
export function makeReceive(
  settings: SmppSettings,
  { replies, receipts, counts }: { replies: Replies; receipts: Receipts; counts: Counts },
): Receive {
  return async (pdu, session) => {
    const message = readMessage(pdu);
    const from = readAddress(message.source, settings);
    const to = readAddress(message.destination, settings);
    const kind = message.esmClass & kinds.mask;
    const receipt = receiptIn(message, settings);
    if (receipt) {
      const reference = numberIn(message.parameters, tags.user_message_reference);
      const state = kind === kinds.intermediate ? null : receipt.state;
      await receipts.receive({ ...receipt, state, from: to, to: from, reference });
    } else if (kind === kinds.text) await replies.receive(message, { from, to }, session);
    // It says that it is a receipt, but not of what. Repeating it wouldn't help.
    else counts.receipts.unmatched += 1;
    return takenBody;
  };
}

/**
 * A text is a receipt if the SMSC marks it as one. Anybody can write "id:1 stat:UNDELIV", so a text that only looks like one is
 * a receipt only if the operator says that this SMSC doesn't mark them.
 */
function receiptIn(message: ShortMessage, settings: SmppSettings): ReadReceipt | null {
  const { esmClass, parameters, octets, dataCoding } = message;
  const isMarked =
    (esmClass & kinds.mask) !== kinds.text ||
    (parameters.has(tags.receipted_message_id) && parameters.has(tags.message_state));
  if (!isMarked && !settings.unmarkedReceipts) return null;
  const bytes = esmClass & headerFollows ? octets.subarray((octets[0] ?? 0) + 1) : octets;
  // SMSCs write receipts in ASCII, also where texts with the same `data_coding` are in GSM-7.
  const text = dataCoding === 8 ? readText(bytes, dataCoding, settings) : bytes.toString('latin1');
  return readReceipt(text, parameters);
}
