import { Menu, Tooltip } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { Link, useNavigate, useParams } from '@tanstack/react-router';
import { useState } from 'react';
import type { done, snooze } from '../../../server/src/http/advisor/api/conversations.ts';
import { now, useNow } from '../api/clock.ts';
import { CallFailed, post } from '../api/http.ts';
import { patchConversation, refresh } from '../api/live.ts';
import { client, conversationQuery } from '../api/queries.ts';
import { useAdvisor } from '../api/session.ts';
import type { BodyOf, OpenConversation } from '../api/types.ts';
import { Button } from '../look/button.tsx';
import { Dialog } from '../look/dialog.tsx';
import { Icon } from '../look/icons.tsx';
import { Broken, Chip, Face } from '../look/parts.tsx';
import { useKeys } from '../shell/keys.ts';
import { NotFound } from '../shell/shell.tsx';
import { toast } from '../shell/toasts.tsx';
import { dayAfter, dayOf } from '../words/months.ts';
import { phoneWords } from '../words/people.ts';
import { instantOf } from '../words/schedules.ts';
import { consentOf } from '../words/states.ts';
import { clockTime, whenTime } from '../words/times.ts';
import { Composer } from './composer.tsx';
import { PersonPanel } from './person-panel.tsx';
import { Loading, Thread } from './thread.tsx';

export function OpenThread() {
  const { memberId } = useParams({ from: '/inbox/c/$memberId' });
  const { data, error, refetch } = useQuery({
    ...conversationQuery(memberId),
    enabled: Number.isSafeInteger(memberId),
  });
  const [isPanelOpen, openPanel] = useState(false);
  // Any other refusal, such as that of a busy server, says nothing about the conversation.
  if (
    !Number.isSafeInteger(memberId) ||
    (error instanceof CallFailed && (error.status === 404 || error.status === 400))
  )
    return <NotFound />;
  if (error && !data) return <Broken error={error} retry={() => void refetch()} />;
  if (!data)
    return (
      <div className="open">
        <div className="thread">
          <Loading />
        </div>
      </div>
    );
  return (
    <div className="open">
      <div className="thread" key={memberId}>
        <Top conversation={data} showPanel={() => openPanel(true)} />
        <Thread conversation={data} />
        <Composer memberId={memberId} draft={data.draft} to={data} />
      </div>
      <aside className="person" aria-label="Person">
        <PersonPanel conversation={data} key={memberId} />
      </aside>
      {isPanelOpen && (
        <Dialog title="Person" close={() => openPanel(false)}>
          <div className="person inside">
            <PersonPanel conversation={data} />
          </div>
        </Dialog>
      )}
    </div>
  );
}

function Top({ conversation, showPanel }: { conversation: OpenConversation; showPanel(): void }) {
  const { memberId, name, phone, state, isHeld, done, snoozedUntil } = conversation;
  const { timeZone } = useAdvisor();
  const time = useNow();
  const navigate = useNavigate();
  const finish = () => {
    const said = toast(done ? 'Back in the inbox.' : 'Done. The next reply brings it back.', {
      label: 'Undo',
      run: () => void change(memberId, 'done', { done }, { done }),
    });
    void change(memberId, 'done', { done: !done }, { done: !done }, said);
    if (!done) void navigate({ to: '/' });
  };
  const snooze = (until: number | null) => {
    const said = toast(
      until ? `Snoozed until ${whenTime(until, now(), timeZone)}, or until they write.` : 'Back in the inbox.',
    );
    void change(memberId, 'snooze', { until }, { snoozedUntil: until }, said);
    if (until) void navigate({ to: '/' });
  };
  useKeys({ e: finish });
  return (
    <header className="top">
      <Link to="/" className="button quiet square only-phone" aria-label="Back to the conversations">
        <Icon name="chevron-left" />
      </Link>
      <Face name={name} phone={phone} />
      <div className="grow">
        <h1 className="name cut">{name ?? phoneWords(phone)}</h1>
        <div className="small soft cut number">
          {name && (
            <span className="phone-number">
              {phoneWords(phone)}
              {conversation.timeZone && ' · '}
            </span>
          )}
          {conversation.timeZone && `${clockTime(time, conversation.timeZone)} their time`}
        </div>
      </div>
      <Chip {...consentOf({ state, isHeld })} />
      <Tooltip label={done ? 'Put back into the inbox (E)' : 'Done (E)'}>
        <Button
          icon={done ? 'inbox' : 'check'}
          kind="quiet square"
          aria-label={done ? 'Put back into the inbox' : 'Mark as done'}
          aria-pressed={done}
          onClick={finish}
        />
      </Tooltip>
      <Menu position="bottom-end" transitionProps={{ duration: 0 }} shadow="md">
        <Menu.Target>
          <Button icon="clock-pause" kind="quiet square" aria-label="Snooze" />
        </Menu.Target>
        <Menu.Dropdown>
          <Menu.Label>Out of the inbox until</Menu.Label>
          {snoozes(timeZone).map(([label, until]) => (
            <Menu.Item
              key={label}
              onClick={() => snooze(until)}
              rightSection={<span className="small soft">{whenTime(until, now(), timeZone)}</span>}
            >
              {label}
            </Menu.Item>
          ))}
          {snoozedUntil && <Menu.Item onClick={() => snooze(null)}>Back into the inbox now</Menu.Item>}
        </Menu.Dropdown>
      </Menu>
      <Button icon="info-circle" kind="quiet square only-narrow" aria-label="About this person" onClick={showPanel} />
    </header>
  );
}

/** Shown at once, and taken back with what was said about it if it fails. */
async function change(
  memberId: number,
  path: 'done' | 'snooze',
  body: BodyOf<typeof done> | BodyOf<typeof snooze>,
  shown: Partial<OpenConversation>,
  unsay?: () => void,
): Promise<void> {
  const before = client.getQueryData(conversationQuery(memberId).queryKey);
  patchConversation(memberId, shown);
  try {
    await post(`/conversations/${memberId}/${path}`, { body });
  } catch {
    if (before) patchConversation(memberId, { done: before.done, snoozedUntil: before.snoozedUntil });
    unsay?.();
    toast('That didn’t reach the server. Try again.');
  }
  refresh(memberId);
}

function snoozes(timeZone: string): [label: string, until: number][] {
  const hour = 60 * 60_000;
  const at = (days: number) =>
    instantOf(`${dayAfter(dayOf(now(), timeZone), days)}T09:00`, timeZone) ?? now() + days * 24 * hour;
  return [
    ['In three hours', now() + 3 * hour],
    ['Tomorrow morning', at(1)],
    ['In a week', at(7)],
  ];
}
