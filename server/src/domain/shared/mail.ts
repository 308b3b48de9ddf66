import { randomUUID } from 'node:crypto';
import type { Config } from '../../config.ts';

const lineLengthMax = 76;

/** One address, which no header and no second recipient can hide in. */
export function isMailAddress(text: string): boolean {
  return /^[^\s@<>,;:"]+@[^\s@<>,;:"]+$/.test(text) && /^[\x21-\x7e]+$/.test(text);
}

/** The message as RFC 5322 has it. Its words are in base64, so that none of them can be a header. */
export function mailMessage(
  { publicUrl }: Pick<Config, 'publicUrl'>,
  {
    address,
    subject,
    text,
    id = randomUUID(),
    date = new Date(),
  }: { address: string; subject: string; text: string; id?: string | number; date?: Date },
): string {
  const { hostname } = new URL(publicUrl);
  return [
    `From: Assent <alerts@${hostname}>`,
    `To: <${address}>`,
    `Subject: ${encodedWords(subject)}`,
    `Date: ${date.toUTCString().replace('GMT', '+0000')}`,
    `Message-ID: <alert.${id}@${hostname}>`,
    'MIME-Version: 1.0',
    'Content-Type: text/plain; charset=utf-8',
    'Content-Transfer-Encoding: base64',
    'Auto-Submitted: auto-generated',
    '',
    ...(Buffer.from(text)
      .toString('base64')
      .match(new RegExp(`.{1,${lineLengthMax}}`, 'g')) ?? []),
    '',
  ].join('\n');
}

/** RFC 2047 allows 75 characters for each, and mail servers refuse a header in one line that is too long. */
function encodedWords(text: string): string {
  const parts = text.match(/.{1,9}/gsu) ?? [];
  return parts.map((part) => `=?utf-8?B?${Buffer.from(part).toString('base64')}?=`).join('\n ');
}
