import type { NotAccepted } from '../../../../domain/ports.ts';
import type { SmppSettings, StatusMeaning } from '../options.ts';

/** Errors by their number (SMPP 3.4, 5.1.3): their name, and what they mean for a text if that isn't `rejected`. */
const known: Record<number, { name: string; meaning?: StatusMeaning }> = {
  1: { name: 'ESME_RINVMSGLEN' },
  2: { name: 'ESME_RINVCMDLEN' },
  3: { name: 'ESME_RINVCMDID' },
  4: { name: 'ESME_RINVBNDSTS', meaning: 'notTaken' },
  5: { name: 'ESME_RALYBND', meaning: 'notTaken' },
  8: { name: 'ESME_RSYSERR', meaning: 'notTaken' },
  10: { name: 'ESME_RINVSRCADR' },
  11: { name: 'ESME_RINVDSTADR', meaning: 'unreachable' },
  12: { name: 'ESME_RINVMSGID' },
  13: { name: 'ESME_RBINDFAIL', meaning: 'notTaken' },
  14: { name: 'ESME_RINVPASWD', meaning: 'notTaken' },
  15: { name: 'ESME_RINVSYSID', meaning: 'notTaken' },
  20: { name: 'ESME_RMSGQFUL', meaning: 'throttled' },
  21: { name: 'ESME_RINVSERTYP' },
  67: { name: 'ESME_RINVESMCLASS' },
  69: { name: 'ESME_RSUBMITFAIL' },
  72: { name: 'ESME_RINVSRCTON' },
  73: { name: 'ESME_RINVSRCNPI' },
  80: { name: 'ESME_RINVDSTTON' },
  81: { name: 'ESME_RINVDSTNPI' },
  83: { name: 'ESME_RINVSYSTYP', meaning: 'notTaken' },
  88: { name: 'ESME_RTHROTTLED', meaning: 'throttled' },
  100: { name: 'ESME_RX_T_APPN', meaning: 'notTaken' },
  101: { name: 'ESME_RX_P_APPN' },
  102: { name: 'ESME_RX_R_APPN' },
  192: { name: 'ESME_RINVOPTPARSTREAM' },
  195: { name: 'ESME_RMISSINGOPTPARAM' },
  196: { name: 'ESME_RINVOPTPARAMVAL' },
  255: { name: 'ESME_RUNKNOWNERR', meaning: 'notTaken' },
};

export const ok = 0x00;
export const invalidCommand = 0x03;
export const notBound = 0x04;
/** Both make the SMSC repeat what it sent. */
export const tryAgain = 0x64;
export const queueFull = 0x14;

export function statusName(status: number): string {
  return known[status]?.name ?? `0x${status.toString(16).padStart(8, '0')}`;
}

/** An error is the SMSC's own word that it didn't take the text, so a retry can't be a duplicate. */
export function submissionOf(status: number, { statuses }: SmppSettings): NotAccepted {
  const meaning = meaningOf(status, statuses);
  const code = statusName(status);
  if (meaning === 'throttled') return { notTaken: code, unavailable: true };
  return meaning === 'notTaken' ? { notTaken: code } : { refused: meaning, code };
}

export function isThrottling(status: number, { statuses }: SmppSettings): boolean {
  return meaningOf(status, statuses) === 'throttled';
}

function meaningOf(status: number, statuses: SmppSettings['statuses']): StatusMeaning {
  return statuses[status] ?? known[status]?.meaning ?? 'rejected';
}
