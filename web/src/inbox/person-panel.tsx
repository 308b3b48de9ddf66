import { useInfiniteQuery, useQuery } from '@tanstack/react-query';
import { lazy, Suspense, useState } from 'react';
import { useNow } from '../api/clock.ts';
import { contactQuery, groupsQuery, itemsQuery, loadAllItems } from '../api/queries.ts';
import { useAdvisor } from '../api/session.ts';
import type { ConsentItem, OpenConversation, ScheduledItem } from '../api/types.ts';
import { ahead } from '../look/ahead.ts';
import { Button } from '../look/button.tsx';
import { Icon } from '../look/icons.tsx';
import { Chip, Face, Fact, Time } from '../look/parts.tsx';
import { toast } from '../shell/toasts.tsx';
import { firstName, phoneWords } from '../words/people.ts';
import { frequencyWords } from '../words/schedules.ts';
import { consentEvent, consentOf, evidenceWords } from '../words/states.ts';
import { birthday, clockTime, pastTime, whenTime } from '../words/times.ts';
import { contactDraft, keptDraft } from './drafts.ts';

const ContactEditor = lazy(ahead(() => import('../contacts/contact-editor.tsx')));
/** By then, what was loaded is on the page. */
const drawnMs = 100;
const Evidence = lazy(ahead(() => import('./evidence.tsx')));

export function PersonPanel({ conversation }: { conversation: OpenConversation }) {
  const { name, phone, state, isHeld, contactId, memberId } = conversation;
  const { timeZone } = useAdvisor();
  const now = useNow();
  const items = useInfiniteQuery(itemsQuery(memberId)).data?.pages.flatMap((page) => page.data) ?? [];
  const moves = items
    .filter((item): item is ConsentItem => item.type === 'consent')
    .sort((one, other) => other.dateTime - one.dateTime);
  const coming = items.filter((item): item is ScheduledItem => item.type === 'scheduled');
  const [isEditing, setEditing] = useState(() => keptDraft(contactDraft(contactId, phone)) !== null);
  const [evidence, showEvidence] = useState<string | null>(null);
  const [isPrinting, setPrinting] = useState(false);
  const printAll = async () => {
    setPrinting(true);
    await loadAllItems(memberId).then(
      () => setTimeout(print, drawnMs),
      (error) => toast(error.message),
    );
    setPrinting(false);
  };
  return (
    <>
      <div className="person-head">
        <Face name={name} phone={phone} size="large" />
        <h2>{name ?? phoneWords(phone)}</h2>
        {name && <div className="soft number">{phoneWords(phone)}</div>}
        <Chip {...consentOf({ state, isHeld })} />
        <div className="row">
          <Button icon={contactId ? 'pencil' : 'user-plus'} kind="small" onClick={() => setEditing(true)}>
            {contactId ? 'Edit' : 'Add to contacts'}
          </Button>
          <Button icon="printer" kind="small" disabled={isPrinting} onClick={() => void printAll()}>
            {isPrinting ? 'Loading' : 'Print'}
          </Button>
        </div>
      </div>
      <section>
        <h3>Consent</h3>
        {moves.length === 0 && (
          <p className="small soft">
            {state === 'none' ? 'Never asked.' : `Since ${pastTime(conversation.lastChanged, now, timeZone)}.`}
          </p>
        )}
        <ol>
          {moves.map((move) => {
            const { word, tone } = consentEvent(firstName(name), move.state, move.previousState, move.reason);
            return (
              <li className={`step ${move.state === 'pending' ? 'warn' : tone}`} key={move.id}>
                <div>
                  {word}
                  <div className="small soft">
                    <Time at={move.dateTime} zone={timeZone}>
                      {pastTime(move.dateTime, now, timeZone)}
                    </Time>
                    {evidenceWords(move.reason)}
                    {' · '}
                    <button type="button" className="link" onClick={() => showEvidence(move.id)}>
                      Evidence
                    </button>
                  </div>
                </div>
              </li>
            );
          })}
        </ol>
        {(moves.length > 0 || state !== 'none') && (
          <div className="row">
            <Button icon="certificate" kind="small" onClick={() => showEvidence('')}>
              Whole history
            </Button>
          </div>
        )}
      </section>
      {(contactId || conversation.timeZone) && (
        <section>
          <h3>Person</h3>
          <dl className="facts">
            {conversation.timeZone && (
              <>
                <dt>Local time</dt>
                <dd className="number">{clockTime(now, conversation.timeZone)}</dd>
              </>
            )}
            {contactId && <ContactFacts contactId={contactId} />}
          </dl>
        </section>
      )}
      {coming.length > 0 && (
        <section>
          <h3>Coming up</h3>
          {coming.map(({ id, text, frequency, nextDeliveryDates: [next], dateTime }) => (
            <div className="row" key={id}>
              <Icon name={frequency ? 'repeat' : 'calendar-clock'} />
              <div className="grow">
                <div className="cut">{text}</div>
                <div className="small soft number">
                  {frequency ? `${frequencyWords[frequency]}, next ` : ''}
                  {whenTime(next ?? dateTime, now, timeZone)}
                </div>
              </div>
            </div>
          ))}
        </section>
      )}
      <Suspense>
        {evidence !== null && (
          <Evidence conversation={conversation} shown={evidence} close={() => showEvidence(null)} />
        )}
        {isEditing && (
          <ContactEditor contactId={contactId} phone={phone} close={() => setEditing(false)} memberId={memberId} />
        )}
      </Suspense>
    </>
  );
}

function ContactFacts({ contactId }: { contactId: number }) {
  const { data } = useQuery(contactQuery(contactId));
  const { data: groups } = useQuery(groupsQuery);
  if (!data) return null;
  if (!data.emailAddress && !data.birthDate && data.groupIds.length === 0)
    return (
      <>
        <dt>Contact</dt>
        <dd className="soft">No email, birthday or group yet</dd>
      </>
    );
  const names = data.groupIds.flatMap((id) => groups?.data.find(({ groupId }) => groupId === id)?.name ?? []);
  return (
    <>
      {data.emailAddress && <Fact name="Email">{data.emailAddress}</Fact>}
      {names.length > 0 && (
        <>
          <dt>Groups</dt>
          <dd className="row wrap">
            {names.map((each) => (
              <span className="chip" key={each}>
                {each}
              </span>
            ))}
          </dd>
        </>
      )}
      {data.birthDate && <Fact name="Birthday">{birthday(data.birthDate)}</Fact>}
    </>
  );
}
