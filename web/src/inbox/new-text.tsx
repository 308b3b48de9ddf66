import { useDebouncedValue } from '@mantine/hooks';
import { useQuery } from '@tanstack/react-query';
import { Link, useLocation, useNavigate } from '@tanstack/react-router';
import { useEffect, useRef, useState } from 'react';
import { findByPhone, searchQuery } from '../api/queries.ts';
import { Button } from '../look/button.tsx';
import { Icon } from '../look/icons.tsx';
import { Chip, Face, StateScreen } from '../look/parts.tsx';
import { useEnter } from '../shell/keys.ts';
import { phoneWords, readPhone } from '../words/people.ts';
import { consentOf } from '../words/states.ts';
import { Composer } from './composer.tsx';
import { handOverDraft } from './drafts.ts';
import { useAttempts } from './outbox.ts';
import { Sending } from './thread-items.tsx';

type To = { phone: string; name: string | null; contactId: number | null };

/** A text to somebody who has no conversation yet. Those who have one are taken to it. */
export function NewText() {
  const given = useLocation({ select: ({ state }) => state.to ?? null });
  const [to, setTo] = useState<To | null>(given);
  const navigate = useNavigate();
  const visit = useLocation({ select: ({ state }) => state.__TSR_key });
  // biome-ignore lint/correctness/useExhaustiveDependencies: “New text” is a new one each time, also with nobody given.
  useEffect(() => setTo(given), [given, visit]);
  const attempts = useAttempts(to?.phone ?? '');
  const open = (memberId: number) =>
    void navigate({ to: '/c/$memberId', params: { memberId }, state: { isWriting: true }, replace: true });
  const page = useRef<HTMLDivElement>(null);
  const latest = useRef(to);
  latest.current = to;
  /** To their conversation, with what was written meanwhile. Somebody who went elsewhere stays there. */
  const sent = (memberId: number) => {
    if (!to || !page.current || latest.current?.phone !== to.phone) return;
    handOverDraft(to.phone, memberId);
    open(memberId);
  };

  const left = useRef<string | null>(null);
  const choose = async (chosen: To) => {
    const known = await findByPhone(chosen.phone).catch(() => null);
    if (left.current && !known?.draft) handOverDraft(left.current, known?.memberId ?? chosen.phone);
    left.current = null;
    if (known) open(known.memberId);
    else setTo(chosen);
  };
  /** What was written is for whoever is chosen next. */
  const leave = ({ phone }: To) => {
    left.current = phone;
    setTo(null);
  };
  return (
    <div className="open" ref={page}>
      <div className="thread">
        <header className="top">
          <Link to="/" className="button quiet square only-phone" aria-label="Back to the conversations">
            <Icon name="chevron-left" />
          </Link>
          {to ? (
            <>
              <Face name={to.name} phone={to.phone} />
              <div className="grow">
                <h1 className={`name ${to.name ? 'cut' : ''}`}>{to.name ?? phoneWords(to.phone)}</h1>
                {to.name && <div className="small soft number">{phoneWords(to.phone)}</div>}
              </div>
              <Button kind="small" onClick={() => leave(to)}>
                Someone else
              </Button>
            </>
          ) : (
            <h1 className="name">New text</h1>
          )}
        </header>
        {to ? (
          <>
            {attempts.length === 0 ? (
              <StateScreen icon="message-2" title="The first text">
                This number is new to you. What you write is archived like every text.
              </StateScreen>
            ) : (
              <div className="flow">
                <div className="flow-items">
                  {attempts.map((made) => (
                    <Sending made={made} sent={sent} key={made.key} />
                  ))}
                </div>
              </div>
            )}
            <Composer
              key={to.phone}
              memberId={null}
              draft={null}
              to={{ ...to, state: 'none', isHeld: false, timeZone: null, requestedAt: null }}
              sent={sent}
            />
          </>
        ) : (
          <Choice choose={(chosen) => void choose(chosen)} />
        )}
      </div>
    </div>
  );
}

function Choice({ choose }: { choose(to: To): void }) {
  const [typed, setTyped] = useState('');
  const [text] = useDebouncedValue(typed.trim(), 200);
  const { data, isPending, isPlaceholderData } = useQuery(searchQuery(text));
  const phone = readPhone(typed);
  const people =
    text.length > 1 ? (data?.people ?? []).flatMap(({ phone, ...rest }) => (phone ? { ...rest, phone } : [])) : [];
  const enter = useEnter(typed, text === typed.trim() && !isPending && !isPlaceholderData, () => {
    if (people[0]) choose(people[0]);
  });
  return (
    <div className="flow-items choice">
      <form
        onSubmit={(event) => {
          event.preventDefault();
          if (phone) choose({ phone, name: null, contactId: null });
          else enter();
        }}
      >
        <label className="label">
          To
          <span className="field">
            <Icon name="search" />
            <input
              // biome-ignore lint/a11y/noAutofocus: the page has no other purpose than this field
              autoFocus
              placeholder="Name or phone number"
              value={typed}
              onChange={({ target }) => setTyped(target.value)}
            />
          </span>
        </label>
      </form>
      {phone && (
        <button type="button" className="talk plain" onClick={() => choose({ phone, name: null, contactId: null })}>
          <Face name={null} phone={phone} />
          <span className="grow">
            <span className="name">{phoneWords(phone)}</span>
            <br />
            <span className="said">This number</span>
          </span>
        </button>
      )}
      {people.map((person) => (
        <button type="button" className="talk plain" key={`${person.contactId}`} onClick={() => choose(person)}>
          <Face name={person.name} phone={person.phone} />
          <span className="grow">
            <span className="name">{person.name}</span>
            <span className="said number row wrap">
              {phoneWords(person.phone)}
              <Chip {...consentOf(person)} />
            </span>
          </span>
        </button>
      ))}
      {text.length > 1 && data && people.length === 0 && !phone && (
        <p className="soft">Nobody by that name has a number. A number has ten digits, or begins with a plus sign.</p>
      )}
    </div>
  );
}
