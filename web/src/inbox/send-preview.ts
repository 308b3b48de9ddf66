import type { Conversation, MessageCheck, Session } from '../api/types.ts';
import type { IconName } from '../look/icons.tsx';
import { firstName, phoneWords } from '../words/people.ts';
import { failureAdvice } from '../words/states.ts';
import { clockTime, whenTime } from '../words/times.ts';

/** Whom a text is for, known or new. */
export type Recipient = Pick<Conversation, 'phone' | 'name' | 'contactId' | 'state' | 'isHeld' | 'requestedAt'> & {
  timeZone: string | null;
};

export type SendPreview = {
  hint: {
    tone: 'warn' | 'bad' | 'quiet';
    icon: IconName;
    strong: string;
    rest: string;
    /** What would help, as a button in the hint. */
    fix?: 'request_consent' | { scheduleAt: number; label: string };
  } | null;
  /** What the button does, said before it is pressed. */
  button: string;
  can: boolean;
  whenConsented: boolean;
};

type Situation = {
  to: Recipient;
  advisor: Session['advisor'];
  /** Of the text as it is; null while there is no text, or no answer yet. */
  check: MessageCheck | null;
  scheduledFor: number | null;
  now: number;
};

/** What a send would do now, in an advisor's words. The server decides; this puts its answer before the deed. */
export function previewOf(situation: Situation): SendPreview {
  const { to, advisor, check, scheduledFor, now } = situation;
  const name = firstName(to.name);
  const codes = new Set(check?.gates.flatMap(({ code }) => code ?? []));
  const button = scheduledFor ? `Schedule for ${whenTime(scheduledFor, now, advisor.timeZone)}` : 'Send';
  const no = (hint: SendPreview['hint']): SendPreview => ({ hint, button, can: false, whenConsented: false });

  if (!advisor.textingNumber || codes.has('no_texting_number'))
    return no({
      tone: 'bad',
      icon: 'phone-off',
      strong: 'You have no texting number.',
      rest: 'Ask your firm for one.',
    });
  if (codes.has('no_carrier'))
    return no({
      tone: 'bad',
      icon: 'phone-off',
      strong: 'Your number isn’t connected yet.',
      rest: 'Tell your firm’s support.',
    });
  if (to.state === 'opted_out' || codes.has('opted_out'))
    return no({
      tone: 'bad',
      icon: 'ban',
      strong: name === 'They' ? 'They opted out.' : `${name} opted out.`,
      rest: `They can text START to ${phoneWords(advisor.textingNumber)} to hear from you again.`,
    });
  if (codes.has('unreachable'))
    return no({
      tone: 'bad',
      icon: 'phone-off',
      strong: 'No text can reach this number.',
      rest: 'Check it with them.',
    });
  if (codes.has('landline'))
    return no({
      tone: 'bad',
      icon: 'phone-off',
      strong: 'This is a landline.',
      rest: 'It can’t get texts: ask for a mobile number.',
    });
  if (codes.has('text_blocked'))
    return no({
      tone: 'bad',
      icon: 'hand-stop',
      strong: 'Your firm’s rules stop this text.',
      rest: 'Reword it.',
    });
  const consent = consentPreview(situation, name, codes, no);
  if (consent) return consent;
  if (codes.has('quiet_hours')) return no(refusedAtNight(situation, name));
  return { ...timing(situation, name, codes, button), can: true, whenConsented: false };
}

function consentPreview(
  { to, advisor, check, scheduledFor }: Situation,
  name: string,
  codes: Set<string>,
  no: (hint: SendPreview['hint']) => SendPreview,
): SendPreview | null {
  const isMissing = codes.has('not_consented') || codes.has('consent_pending') || codes.has('too_many_waiting');
  const isExpected = !check && advisor.consentRequired && to.state !== 'accepted';
  if (!isMissing && !isExpected) return null;
  const isPending = to.state === 'pending' || codes.has('consent_pending');
  const strong = isPending
    ? `${name === 'They' ? 'They haven’t' : `${name} hasn’t`} answered yet.`
    : `${name === 'They' ? 'They haven’t' : `${name} hasn’t`} agreed to texts yet.`;
  if (codes.has('too_many_waiting'))
    return no({ tone: 'warn', icon: 'hourglass', strong, rest: failureAdvice.too_many_waiting.what });
  if (!advisor.consentCollection && !isPending)
    return no({
      tone: 'warn',
      icon: 'shield-check',
      strong,
      rest: 'Your firm hasn’t set up consent requests, so nothing can go out.',
    });
  if (scheduledFor)
    return no({
      tone: 'warn',
      icon: 'hourglass',
      strong,
      rest: 'A text can be scheduled once they have.',
      ...(!isPending && { fix: 'request_consent' as const }),
    });
  return {
    hint: {
      tone: 'warn',
      icon: 'hourglass',
      strong,
      rest: isPending
        ? 'Your text can wait up to a day for their consent.'
        : 'Sending asks them first; your text follows once they accept.',
      ...(!isPending && { fix: 'request_consent' as const }),
    },
    button: 'Send once they accept',
    can: true,
    whenConsented: true,
  };
}

function refusedAtNight({ to, check, advisor, now }: Situation, name: string): SendPreview['hint'] {
  const at = check?.earliest ?? null;
  return {
    tone: 'warn',
    icon: 'moon',
    strong: itIs(to, name, now),
    rest: 'Your firm sends no texts at night.',
    ...(at && { fix: { scheduleAt: at, label: `Schedule for ${whenTime(at, now, advisor.timeZone)}` } }),
  };
}

function timing(
  { to, advisor, check, scheduledFor, now }: Situation,
  name: string,
  codes: Set<string>,
  button: string,
): Pick<SendPreview, 'hint' | 'button'> {
  if (codes.has('possible_opt_out') || to.isHeld)
    return {
      hint: {
        tone: 'warn',
        icon: 'hand-stop',
        strong: 'Their last reply may mean stop.',
        rest: 'Texts wait until your firm has decided, or they text START.',
      },
      button: scheduledFor ? button : 'Hold for a decision',
    };
  if (codes.has('supervision'))
    return {
      hint: {
        tone: 'warn',
        icon: 'hand-stop',
        strong: 'Your firm reads this first.',
        rest: 'It goes out once it is approved.',
      },
      button: scheduledFor ? button : 'Send for review',
    };
  const at = check?.status === 'deferred' ? check.earliest : null;
  if (scheduledFor || !at || at <= now) return { hint: null, button };
  const theirs = to.timeZone ? `${clockTime(at, to.timeZone)} their time` : whenTime(at, now, advisor.timeZone);
  const mine =
    to.timeZone && clockTime(at, to.timeZone) !== clockTime(at, advisor.timeZone)
      ? `, ${clockTime(at, advisor.timeZone)} yours`
      : '';
  return {
    hint: { tone: 'warn', icon: 'moon', strong: itIs(to, name, now), rest: `This goes out at ${theirs}${mine}.` },
    button: `Send at ${clockTime(at, advisor.timeZone)}`,
  };
}

function itIs({ timeZone }: Recipient, name: string, now: number): string {
  if (!timeZone) return 'It’s night where they may be.';
  return `It’s ${clockTime(now, timeZone)} for ${name === 'They' ? 'them' : name}.`;
}
