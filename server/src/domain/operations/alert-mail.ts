import type { Config } from '../../config.ts';
import type { AlertDeliveryRow } from '../../store/operations/alerts.ts';

export type AlertNotice = Pick<AlertDeliveryRow, 'deliveryId' | 'about' | 'state' | 'says' | 'dateTimeCreated'>;

const lineLengthMax = 76;

/** The message as RFC 5322 has it. Its words are in base64, so that none of them can be a header. */
export function alertMail(
  address: string,
  { deliveryId, about, state, says, dateTimeCreated }: AlertNotice,
  { publicUrl }: Pick<Config, 'publicUrl'>,
): string {
  const { hostname } = new URL(publicUrl);
  const subject = `Assent ${subjects[state]}${state === 'test' ? '' : `: ${aboutWords(about)}`}`;
  const text = [
    says,
    '',
    state === 'over' ? 'This is over.' : 'What to do is on this page:',
    `${publicUrl}/console/${state === 'over' ? 'alerts' : 'doctor'}`,
    '',
  ].join('\n');
  return [
    `From: Assent <alerts@${hostname}>`,
    `To: <${address}>`,
    `Subject: ${encoded(subject)}`,
    `Date: ${dateTimeCreated.toUTCString().replace('GMT', '+0000')}`,
    `Message-ID: <alert.${deliveryId || dateTimeCreated.getTime()}@${hostname}>`,
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

const subjects = { begun: 'alert', over: 'alert resolved', test: 'test alert' };

function aboutWords(about: string): string {
  if (about.startsWith('carrier:')) return `carrier ${about.slice('carrier:'.length)}`;
  return about === 'backup' ? 'the backup' : 'the archive';
}

function encoded(text: string): string {
  return `=?utf-8?B?${Buffer.from(text).toString('base64')}?=`;
}
