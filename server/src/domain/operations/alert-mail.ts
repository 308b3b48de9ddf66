import type { Config } from '../../config.ts';
import type { AlertDeliveryRow } from '../../store/operations/alerts.ts';
import { mailMessage } from '../shared/mail.ts';

export type AlertNotice = Pick<AlertDeliveryRow, 'deliveryId' | 'about' | 'state' | 'says' | 'dateTimeCreated'>;

export function alertMail(
  address: string,
  { deliveryId, about, state, says, dateTimeCreated: date }: AlertNotice,
  config: Pick<Config, 'publicUrl'>,
): string {
  const subject = `Assent ${subjects[state]}${state === 'test' ? '' : `: ${aboutWords(about)}`}`;
  const text = [
    says,
    '',
    state === 'over' ? 'This is over.' : 'What to do is on this page:',
    `${config.publicUrl}/console/${state === 'over' ? 'alerts' : 'doctor'}`,
    '',
  ].join('\n');
  return mailMessage(config, { address, subject, text, id: deliveryId || date.getTime(), date });
}

const subjects = { begun: 'alert', over: 'alert resolved', test: 'test alert' };

function aboutWords(about: string): string {
  if (about.startsWith('carrier:')) return `carrier ${about.slice('carrier:'.length)}`;
  return about === 'backup' ? 'the backup' : 'the archive';
}
