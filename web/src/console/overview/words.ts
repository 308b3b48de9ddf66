import type { show } from '../../../../server/src/http/console/overview.ts';
import type { IconName } from '../../look/icons.tsx';
import { count } from '../../words/people.ts';
import type { StateWord, Tone } from '../../words/states.ts';
import { dayAndTime } from '../../words/times.ts';
import type { AnswerOf } from '../answers.ts';

/** Times are ISO 8601. */
export type Overview = AnswerOf<typeof show>;
type ArchiveFact = { name: string; said: StateWord; sentence: string; at: number | null };
type Need = { what: string; why: string; icon: IconName; tone: Tone; to?: string };

const good = (word: string): StateWord => ({ word, icon: 'circle-check', tone: 'good' });
const unknown = (word: string): StateWord => ({ word, icon: 'help-circle', tone: 'warn' });
const bad = (word: string): StateWord => ({ word, icon: 'alert-triangle', tone: 'bad' });
const number = (value: number) => value.toLocaleString('en-US');
const time = (text: string | null) => (text === null ? null : Date.parse(text));

export function archiveWords({ archive }: Overview): ArchiveFact[] {
  return [signedWords(archive), copiesWords(archive), verifiedWords(archive), reconciledWords(archive)];
}

function signedWords({ entries, unsigned, lastSigned, isFaulty }: Overview['archive']): ArchiveFact {
  const [name, at] = ['Last checkpoint', time(lastSigned)];
  if (isFaulty)
    return {
      name,
      said: bad('Stopped'),
      sentence: 'Nothing more is signed until the operator has looked into a fault. The last checkpoint was signed',
      at,
    };
  if (at === null) return { name, said: unknown('None'), sentence: 'Nothing was signed yet.', at };
  const covered =
    unsigned > 0
      ? `${number(entries - unsigned)} of the firm’s ${count(entries, 'entry', 'entries')} are under a signed checkpoint; the rest follow within seconds. Signed`
      : `All of the firm’s ${count(entries, 'entry', 'entries')} are under a signed checkpoint. Signed`;
  return { name, said: good('Signed'), sentence: covered, at };
}

function copiesWords({ copies: { size, folder, delivered } }: Overview['archive']): ArchiveFact {
  const name = 'Copies outside';
  const sent = time(delivered);
  const also =
    sent !== null ? { sentence: ' A checkpoint was last handed outside', at: sent } : { sentence: '', at: null };
  if (folder === null)
    return sent !== null
      ? { name, said: good('Kept'), sentence: also.sentence.trim(), at: also.at }
      : {
          name,
          said: unknown('Not seen'),
          sentence: 'This server sees no copies outside the database. Ask the operator where they are kept.',
          at: null,
        };
  const missing = size - folder;
  const said = missing > 0 ? unknown('Behind') : good('Agree');
  const sentence =
    missing > 0
      ? `Checkpoints kept outside the database lack the last ${count(missing, 'entry', 'entries')} of the deployment.`
      : `Checkpoints kept outside the database cover all ${count(size, 'entry', 'entries')} of the deployment.`;
  return { name, said, sentence: sentence + also.sentence, at: also.at };
}

function verifiedWords({ verification }: Overview['archive']): ArchiveFact {
  const name = 'Last verification';
  if (!verification)
    return {
      name,
      said: unknown('Never'),
      sentence: 'Nobody has verified the whole archive yet. The operator does it with “assent archive verify”.',
      at: null,
    };
  const { verdict, entries, checkpoints, faults, dateTimeCreated, actor, actorName } = verification;
  const by = actorName ?? (actor === 'operator' ? 'the operator, with the command' : 'the server itself');
  const at = time(dateTimeCreated);
  const compared = `against ${count(checkpoints, 'signed checkpoint')}`;
  const words: Record<typeof verdict, [StateWord, string]> = {
    intact: [
      good('Intact'),
      `All ${count(entries, 'entry', 'entries')} were recomputed and compared ${compared}. Verified by ${by},`,
    ],
    altered: [bad('Altered'), `${count(faults, 'place')} differed from what was signed. Verified by ${by},`],
    incomplete: [bad('Incomplete'), `${count(faults, 'place')} lacked something that was signed. Verified by ${by},`],
    unknown: [unknown('Can’t tell'), `There was nothing signed to compare with. Tried by ${by},`],
  };
  const [said, sentence] = words[verdict];
  return { name, said, sentence, at };
}

function reconciledWords({ reconciliation }: Overview['archive']): ArchiveFact {
  const name = 'Reconciliation';
  if (!reconciliation)
    return {
      name,
      said: unknown('Not yet'),
      sentence: 'It runs by itself once a day has ended.',
      at: null,
    };
  const { firstDay, lastDay, carriers, compared, discrepancies, dateTime } = reconciliation;
  const days = firstDay === lastDay ? lastDay : `${firstDay} to ${lastDay}`;
  if (!carriers) {
    const sentence = `No carrier keeps records to compare the texts of ${days} (UTC) with. Tried`;
    return { name, said: unknown('Can’t tell'), sentence, at: time(dateTime) };
  }
  const sentence = `${count(compared, 'record')} of the firm for ${days} (UTC) were compared with the records of ${carriers}: ${
    discrepancies === 0 ? 'no discrepancy' : count(discrepancies, 'discrepancy', 'discrepancies')
  }. Compared`;
  return { name, said: discrepancies === 0 ? good('Agrees') : bad('Differs'), sentence, at: time(dateTime) };
}

/** In the order in which somebody should look at them. */
export function needsOf({ archive, reviews, reinvited }: Overview): Need[] {
  const needs: Need[] = [];
  const { isFaulty, verification, reconciliation } = archive;
  if (isFaulty)
    needs.push({
      what: 'The archive reports a fault',
      why: 'Entries are still written. The operator’s health page says what is wrong, and what to do.',
      icon: 'alert-triangle',
      tone: 'bad',
    });
  if (verification && ['altered', 'incomplete'].includes(verification.verdict))
    needs.push({
      what: 'The last verification was not intact',
      why: 'Ask the operator for its list of faults, and keep the copies outside as they are.',
      icon: 'alert-triangle',
      tone: 'bad',
    });
  if (reconciliation && reconciliation.discrepancies > 0)
    needs.push({
      what: count(reconciliation.discrepancies, 'discrepancy', 'discrepancies with the carriers’ records'),
      why: 'The operator’s reconciliation lists each of them.',
      icon: 'alert-triangle',
      tone: 'bad',
    });
  for (const { name, dateTime } of reinvited)
    needs.push({
      what: `A new link for ${name} to sign in with`,
      why: `An operator made it on ${dayAndTime(Date.parse(dateTime))}, for lost passkeys. If ${name} didn’t ask for it, disable the account, and tell the operator.`,
      icon: 'key',
      tone: 'warn',
      to: '/staff',
    });
  const optOuts = reviews.kinds.possible_opt_out ?? 0;
  if (optOuts > 0)
    needs.push({
      what: count(optOuts, 'possible opt-out'),
      why: 'Texts to these people are held until somebody decides.',
      icon: 'hand-stop',
      tone: 'bad',
      to: '/reviews',
    });
  const held = reviews.kinds.held ?? 0;
  if (held > 0)
    needs.push({
      what: count(held, 'held text'),
      why: 'They go out or are refused once somebody has read them.',
      icon: 'player-pause',
      tone: 'warn',
      to: '/reviews',
    });
  const others = reviews.open - optOuts - held;
  if (others > 0)
    needs.push({
      what: count(others, 'other open review'),
      why: 'Flagged texts, unclear replies and the daily sample.',
      icon: 'clipboard-check',
      tone: 'quiet',
      to: '/reviews',
    });
  return needs;
}
