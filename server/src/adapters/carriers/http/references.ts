import { carrierCallsPath, type OutgoingText } from '../../../domain/ports.ts';

const parameter = 'reference';
/** Receipts have the last 16 bits of a reference, since some carriers have room for no more. */
const receiptReferences = 0x10000;

/** Where a carrier tells what becomes of a text. It repeats our reference, so that even a lost response is settled. */
export function receiptsUrl(publicUrl: string, name: string, { reference }: Pick<OutgoingText, 'reference'>): string {
  const url = new URL(carrierCallsPath(name), publicUrl);
  if (reference !== undefined) url.searchParams.set(parameter, String(reference));
  return url.href;
}

/** The whole reference in an address that a carrier repeats. */
export function referenceIn(url: string | null): number | null {
  const text = url === null ? null : URL.parse(url)?.searchParams.get(parameter);
  return text && /^\d{1,15}$/.test(text) ? Number(text) : null;
}

export function receiptReference(url: string | null): { reference?: number } {
  const reference = referenceIn(url);
  return reference === null ? {} : { reference: reference % receiptReferences };
}
