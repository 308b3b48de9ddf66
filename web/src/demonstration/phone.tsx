import { useQuery } from '@tanstack/react-query';
import { useEffect, useRef, useState } from 'react';
import { textLengthMax } from '../../../server/src/domain/shared/text/text-rules.ts';
import { client } from '../api/queries.ts';
import { useAdvisor } from '../api/session.ts';
import type { ConsentState } from '../api/types.ts';
import { witness } from '../api/witnesses.ts';
import { rescueFocus } from '../look/focus.ts';
import { Icon } from '../look/icons.tsx';
import { toast } from '../shell/toasts.tsx';
import { firstName, phoneWords } from '../words/people.ts';
import { clockTime } from '../words/times.ts';
import { type CastMember, replyFrom, type ScreenText, screenQuery } from './sandbox.ts';
import { said } from './story.ts';

/** What somebody in this state would press; anything else can be typed. */
const keys: Record<ConsentState, string[]> = {
  none: ['START', 'STOP', 'HELP'],
  pending: ['ACCEPT', 'NO', 'STOP', 'HELP'],
  accepted: ['Thanks!', 'STOP', 'HELP'],
  opted_out: ['START', 'HELP'],
};

/** The person's own phone. `pressNext` is the reply that the story waits for. */
export function Phone({ person, pressNext }: { person: CastMember; pressNext: string | null }) {
  const { textingNumber, timeZone, name: advisorName } = useAdvisor();
  const { phone } = person;
  const { data } = useQuery(screenQuery(phone));
  const [typed, type] = useState('');
  const [isSending, setSending] = useState(false);
  const name = person.name ?? data?.owner?.name ?? phoneWords(phone);
  const state = data?.senders.find((sender) => sender.textingNumber === textingNumber)?.state ?? 'none';
  const texts = data?.texts.filter((text) => text.textingNumber === textingNumber) ?? [];
  const answers = keys[state].map((key) => (key === 'Thanks!' && pressNext === said.answer ? said.answer : key));
  const buttons = useRef<HTMLFieldSetElement>(null);
  useFollowed(phone, person.memberId);

  const reply = async (words: { text: string } | { media: string[] }) => {
    if (isSending || !textingNumber) return;
    setSending(true);
    try {
      await replyFrom(phone, textingNumber, words);
      if ('text' in words && words.text === typed.trim()) type('');
    } catch {
      toast('The sandbox didn’t take this reply. Try again.');
    }
    setSending(false);
    await client.invalidateQueries({ queryKey: screenQuery(phone).queryKey });
    // The button that was pressed may be gone with the next frame.
    requestAnimationFrame(() => rescueFocus(buttons.current?.querySelector('button')));
  };
  return (
    <section className="handset" aria-label={`${name}’s phone`}>
      <header>
        <h2>{name}</h2>
        <div className="small soft number">{phoneWords(phone)}</div>
      </header>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a region that scrolls must be reachable with the keyboard */}
      <section className="flow" aria-label={`What ${firstName(name)} sees`} tabIndex={0}>
        <div className="flow-items" role="log" aria-label={`Texts on ${name}’s phone`}>
          {data && texts.length === 0 && <p className="soft small">No texts yet.</p>}
          {texts.map((text) => (
            <Bubble text={text} timeZone={timeZone} key={text.id} />
          ))}
        </div>
      </section>
      <fieldset className="handset-keys" ref={buttons} aria-label={`Reply as ${firstName(name)}`}>
        {answers.map((key) => (
          <button
            type="button"
            key={key}
            className={key === pressNext ? 'next' : undefined}
            onClick={() => void reply({ text: key })}
          >
            {key}
          </button>
        ))}
        {state === 'accepted' && (
          <button type="button" onClick={() => void reply({ media: ['sample'] })}>
            Picture
          </button>
        )}
      </fieldset>
      <form
        onSubmit={(event) => {
          event.preventDefault();
          if (typed.trim()) void reply({ text: typed.trim() });
        }}
      >
        <input
          aria-label={`Reply from ${firstName(name)}’s phone`}
          placeholder={`Text ${firstName(advisorName)}`}
          value={typed}
          maxLength={textLengthMax}
          onChange={({ target }) => type(target.value)}
        />
        <button
          type="submit"
          className="button quiet square small"
          aria-label={`Send from ${firstName(name)}’s phone`}
          disabled={!typed.trim()}
        >
          <Icon name="arrow-up" />
        </button>
      </form>
    </section>
  );
}

function Bubble({ text: { from, text, media, dateTime }, timeZone }: { text: ScreenText; timeZone: string }) {
  const side = from === 'phone' ? 'out' : 'in';
  return (
    <div className="item" title={clockTime(Date.parse(dateTime), timeZone)}>
      {media > 0 && (
        <div className={`say ${side} row`}>
          <Icon name="paperclip" size={15} />
          Picture
        </div>
      )}
      {text !== '' && <div className={`say ${side}`}>{text ?? 'No longer kept.'}</div>}
    </div>
  );
}

/** What the advisor's events tell about this person shows on the phone without waiting for its next turn. */
function useFollowed(phone: string, memberId: number): void {
  const latest = useRef(phone);
  latest.current = phone;
  useEffect(
    () =>
      witness((seen) => {
        if ('event' in seen && seen.event.data.memberId === memberId)
          void client.invalidateQueries({ queryKey: screenQuery(latest.current).queryKey });
      }),
    [memberId],
  );
}
