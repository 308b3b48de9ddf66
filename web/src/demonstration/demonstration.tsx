import './demonstration.css';
import { useInfiniteQuery, useQueries, useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { type ReactNode, useState } from 'react';
import { now, useNow } from '../api/clock.ts';
import { contactQuery, conversationQuery, conversationsQuery, itemsQuery } from '../api/queries.ts';
import { useAdvisor } from '../api/session.ts';
import type { Conversation, OpenConversation } from '../api/types.ts';
import { Composer } from '../inbox/composer.tsx';
import { Row } from '../inbox/conversation-list.tsx';
import { newAttempt, send } from '../inbox/sending.ts';
import { Thread } from '../inbox/thread.tsx';
import { Button } from '../look/button.tsx';
import { Dialog } from '../look/dialog.tsx';
import { Tabs } from '../look/fields.tsx';
import { Icon } from '../look/icons.tsx';
import { Broken, Chip, Face, Time } from '../look/parts.tsx';
import { toast } from '../shell/toasts.tsx';
import { phoneWords } from '../words/people.ts';
import { instantOf, wallTime } from '../words/schedules.ts';
import { consentOf } from '../words/states.ts';
import { dayAndTime } from '../words/times.ts';
import { type Line, PartnerView, useLines } from './partner-view.tsx';
import { Phone } from './phone.tsx';
import { type CastMember, castQuery, moveClock, resetSandbox } from './sandbox.ts';
import { nextStep, type Pane, type Step, said, steps } from './story.ts';

const hourMs = 60 * 60_000;
const panes: Record<Pane, string> = { advisor: 'Advisor', phones: 'Phones', partner: 'API' };

/** The advisor, the phones of two or three people, the clock, and what a program would have called: all live, on one screen. */
export function Demonstration() {
  const lines = useLines();
  const { data: cast, error, refetch } = useQuery(castQuery);
  const [ana] = cast ?? [];
  if (error) return <Broken error={error} retry={() => void refetch()} />;
  if (!cast || !ana) return <div className="stage" aria-busy="true" />;
  return <Stage cast={cast} ana={ana} lines={lines} />;
}

function Stage({ cast, ana, lines }: { cast: CastMember[]; ana: CastMember; lines: Line[] }) {
  const [open, setOpen] = useState(ana.memberId);
  const [pane, setPane] = useState<Pane>('advisor');
  const birthday = useBirthday(ana);
  const step = useStep(ana);
  const plan = async () => {
    const made = newAttempt(ana.phone, {
      phone: ana.phone,
      text: said.birthday,
      scheduleDelivery: true,
      deliveryDate: birthday,
      frequency: 4,
    });
    const outcome = await send(made);
    if ('refused' in outcome) toast(outcome.refused);
    // Its button is gone: what comes next is the clock's.
    else document.querySelector<HTMLElement>('.to-birthday')?.focus();
  };
  const show = (next: Step) => {
    setOpen(ana.memberId);
    if (next.pane) setPane(next.pane);
  };
  // The phone in front is that of the open conversation, or else Ana's.
  const front = cast.find(({ memberId }) => memberId === open) ?? ana;
  const people = (
    <Tabs
      className="who"
      label="Who"
      options={cast.map(({ memberId, name, phone }) => [memberId, name ?? phoneWords(phone)])}
      chosen={front.memberId}
      choose={setOpen}
    />
  );
  return (
    <div className="stage" data-pane={pane} data-next={step?.name}>
      <Bar birthday={birthday} />
      {step !== undefined && <Story step={step} plan={() => void plan()} show={show} pane={pane} />}
      <fieldset className="tabs panes" aria-label="What is shown">
        {Object.entries(panes).map(([each, name]) => (
          <button
            type="button"
            key={each}
            aria-pressed={pane === each}
            className={step?.pane === each ? 'has-next' : undefined}
            onClick={() => setPane(each as Pane)}
          >
            {name}
          </button>
        ))}
      </fieldset>
      <Desk cast={cast} open={open} choose={setOpen} ana={ana} people={people} />
      <div className="handsets">
        {people}
        {cast.map((person) => (
          <div className={`handset-holder ${front === person ? 'front' : ''}`} key={person.phone}>
            <Phone person={person} pressNext={person === ana ? pressNext(step ?? null) : null} />
          </div>
        ))}
      </div>
      <PartnerView lines={lines} />
    </div>
  );
}

function pressNext(step: Step | null): string | null {
  if (step?.name === 'accept') return 'ACCEPT';
  if (step?.name === 'answer') return said.answer;
  return step?.name === 'stop' ? 'STOP' : null;
}

/** Undefined until it is known. */
function useStep({ memberId }: CastMember): Step | null | undefined {
  const { data: conversation } = useQuery(conversationQuery(memberId));
  const { data: items } = useInfiniteQuery(itemsQuery(memberId));
  if (!conversation || !items) return undefined;
  return nextStep(
    conversation,
    items.pages.flatMap((page) => page.data),
  );
}

/** The next 9:00 on her birthday, or tomorrow's if she has none. */
function useBirthday({ contactId }: CastMember): number {
  const { timeZone } = useAdvisor();
  const { data } = useQuery({ ...contactQuery(contactId ?? 0), enabled: contactId !== null });
  const time = useNow();
  const day = data?.birthDate?.slice(4);
  if (!day) return tomorrow(time, timeZone);
  const year = Number(wallTime(time, timeZone).slice(0, 4));
  const dates = [year, year + 1].map((each) => instantOf(`${each}${day}T09:00`, timeZone) ?? 0);
  return dates.find((at) => at > time) ?? tomorrow(time, timeZone);
}

function tomorrow(time: number, timeZone: string): number {
  return instantOf(`${wallTime(time + 24 * hourMs, timeZone).slice(0, 10)}T09:00`, timeZone) ?? time + 24 * hourMs;
}

function Bar({ birthday }: { birthday: number }) {
  const { timeZone } = useAdvisor();
  const time = useNow();
  const [isMoving, setMoving] = useState(false);
  const [moved, setMoved] = useState('');
  const [isAsked, ask] = useState(false);
  const move = async (advanceMs: number) => {
    if (isMoving) return;
    setMoving(true);
    try {
      await moveClock(advanceMs);
      setMoved(`It is ${dayAndTime(now(), timeZone)}. What became due has gone out.`);
    } catch {
      toast('The clock didn’t move. Try again.');
    }
    setMoving(false);
  };
  return (
    <header className="stage-bar">
      <a className="logo" href="/" aria-label="Assent, home page">
        <img src="/icon.svg" alt="" width="26" height="26" />
        <span>Assent</span>
      </a>
      <span className="sandbox">SANDBOX</span>
      <h1>Demonstration</h1>
      <span className="end" />
      <span className="clock">
        <span className="soft">It is </span>
        <b>
          <Time at={time} zone={timeZone}>
            {dayAndTime(time, timeZone)}
          </Time>
        </b>
      </span>
      <span className="hidden-visually" role="status">
        {moved}
      </span>
      <fieldset className="moves" aria-label="Move the clock" aria-busy={isMoving}>
        <Button icon="forward" kind="small" onClick={() => void move(hourMs)}>
          An hour
        </Button>
        <Button kind="small" onClick={() => void move(tomorrow(now(), timeZone) - now())}>
          Tomorrow 9:00
        </Button>
        <Button kind="small to-birthday" onClick={() => void move(birthday - now())}>
          Ana’s birthday
        </Button>
      </fieldset>
      <Button icon="refresh" kind="quiet small" onClick={() => ask(true)}>
        Reset
      </Button>
      {isAsked && <Reset close={() => ask(false)} />}
    </header>
  );
}

function Reset({ close }: { close(): void }) {
  const [isResetting, setResetting] = useState(false);
  const reset = async () => {
    setResetting(true);
    await resetSandbox().catch(() => {
      setResetting(false);
      toast('The sandbox wasn’t reset. Try again.');
    });
  };
  return (
    <Dialog title="Reset the sandbox?" size="sm" close={close}>
      <div className="form">
        <p>
          Texts, consents, contacts, schedules, webhooks and the clock become as they were after the first start. The
          credentials stay; tokens end.
        </p>
        <div className="buttons">
          <Button onClick={close}>Keep everything</Button>
          <Button kind="bad" onClick={() => void reset()} disabled={isResetting}>
            {isResetting ? 'Resetting …' : 'Reset now'}
          </Button>
        </div>
      </div>
    </Dialog>
  );
}

function Story({ step, pane, plan, show }: { step: Step | null; pane: Pane; plan(): void; show(step: Step): void }) {
  const at = step ? steps.indexOf(step) : steps.length;
  return (
    <section className="story" aria-label="What to do next">
      <ol>
        {steps.map(({ name, label }, index) => (
          <li key={name} aria-current={index === at ? 'step' : undefined} className={index < at ? 'past' : undefined}>
            {index < at ? <Icon name="check" size={14} /> : <span className="count">{index + 1}</span>}
            {label}
            {index < at && <span className="hidden-visually">, done</span>}
          </li>
        ))}
      </ol>
      <p aria-live="polite">
        {step ? step.what : 'That is the whole loop, and every word of it is in the archive.'}{' '}
        {step?.name === 'schedule' && (
          <Button kind="small next" onClick={plan}>
            Plan it
          </Button>
        )}
        {step?.pane && step.pane !== pane && (
          <button type="button" className="link only-one-pane" onClick={() => show(step)}>
            Show
          </button>
        )}
        {!step && <a href="/docs/partners/start">Build it into your application</a>}
      </p>
    </section>
  );
}

function Desk({
  cast,
  ana,
  open,
  choose,
  people,
}: {
  cast: CastMember[];
  ana: CastMember;
  open: number;
  choose(memberId: number): void;
  people: ReactNode;
}) {
  const { name } = useAdvisor();
  const rows = useRows(cast);
  const { data } = useQuery(conversationQuery(open));
  return (
    <section className="desk-window" aria-label="What the advisor sees">
      <div className="window-bar">
        <Icon name="message-2" size={16} />
        <span className="cut">
          What the advisor sees: <b>{name}</b>
        </span>
        <Link to="/c/$memberId" params={{ memberId: open }} className="end row">
          <Icon name="external-link" size={15} />
          Open on its own
        </Link>
      </div>
      {people}
      <div className="desk-inside">
        <ul className="desk-list" aria-label="Conversations">
          {rows.map((row) => (
            <li key={row.memberId}>
              <Row conversation={row} isOpen={row.memberId === open} choose={() => choose(row.memberId)} />
            </li>
          ))}
        </ul>
        {data ? <Opened conversation={data} isAna={open === ana.memberId} /> : <div aria-busy="true" />}
      </div>
    </section>
  );
}

/** The inbox, below those of the cast who aren't in it yet. */
function useRows(cast: CastMember[]): Conversation[] {
  const { data } = useInfiniteQuery(conversationsQuery('inbox'));
  const people = useQueries({ queries: cast.map(({ memberId }) => conversationQuery(memberId)) });
  const inbox = data?.pages[0]?.data ?? [];
  const fresh = people.flatMap(({ data: person }) => (person && !person.last ? person : []));
  return [...fresh.filter((person) => !inbox.some(({ memberId }) => memberId === person.memberId)), ...inbox];
}

function Opened({ conversation, isAna }: { conversation: OpenConversation; isAna: boolean }) {
  const { memberId, name, phone, state, isHeld, last, draft } = conversation;
  const suggested = isAna && state === 'none' && !last ? said.first : null;
  return (
    <div className="thread">
      <header className="top">
        <Face name={name} phone={phone} size="tiny" />
        <h2 className="name cut grow">{name ?? phoneWords(phone)}</h2>
        <Chip {...consentOf({ state, isHeld })} />
      </header>
      <Thread conversation={conversation} key={memberId} />
      <Composer key={`c${memberId}`} memberId={memberId} draft={draft ?? suggested} to={conversation} />
    </div>
  );
}
