import { useInfiniteQuery, useQueries } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { lazy, Suspense, useState } from 'react';
import { useNow } from '../api/clock.ts';
import { conversationQuery, scheduledQuery } from '../api/queries.ts';
import { useAdvisor } from '../api/session.ts';
import type { ScheduledMessage } from '../api/types.ts';
import { ahead } from '../look/ahead.ts';
import { Button } from '../look/button.tsx';
import { Icon } from '../look/icons.tsx';
import { Broken, Face, Loading, StateScreen, Time } from '../look/parts.tsx';
import { phoneWords } from '../words/people.ts';
import { frequencyWords } from '../words/schedules.ts';
import { clockTime, dayName, whenTime } from '../words/times.ts';
import CancelQuestion from './cancel-question.tsx';
import ScheduledEditor, { type EditableText } from './scheduled-editor.tsx';

const Month = lazy(ahead(() => import('./month.tsx')));

/** A text that is to be changed or canceled, and whose it is. */
type ChosenText = EditableText & { name: string | null };
const viewSetting = 'scheduled-view';
const loading = (
  <div className="page-body">
    <Loading height={56} bars={3} />
  </div>
);

/** What is still to come, in a calendar or as a list. */
export function Scheduled() {
  const [isList, setList] = useState(() => localStorage.getItem(viewSetting) === 'list');
  const total = useInfiniteQuery(scheduledQuery).data?.pages[0]?.pageInfo.totalRecord;
  const [edited, edit] = useState<ChosenText | null>(null);
  const [canceled, cancel] = useState<ChosenText | null>(null);
  const choose = (list: boolean) => {
    localStorage.setItem(viewSetting, list ? 'list' : 'month');
    setList(list);
  };
  return (
    <div className="page">
      <header className="page-head">
        <h1>Scheduled</h1>
        {total !== undefined && <span className="soft number">{total.toLocaleString('en-US')}</span>}
        <fieldset className="tabs end" aria-label="View">
          <button type="button" className="row" aria-pressed={!isList} onClick={() => choose(false)}>
            <Icon name="calendar" size={16} />
            Month
          </button>
          <button type="button" className="row" aria-pressed={isList} onClick={() => choose(true)}>
            <Icon name="list" size={16} />
            List
          </button>
        </fieldset>
        <Link to="/broadcasts" className="button small">
          Texts to groups
        </Link>
      </header>
      {isList ? (
        <List edit={edit} cancel={cancel} />
      ) : (
        <Suspense fallback={loading}>
          <Month edit={edit} />
        </Suspense>
      )}
      {edited && (
        <ScheduledEditor
          scheduled={edited}
          name={edited.name}
          close={() => edit(null)}
          cancel={() => {
            edit(null);
            cancel(edited);
          }}
        />
      )}
      {canceled && (
        <CancelQuestion
          scheduled={canceled}
          name={canceled.name ?? phoneWords(canceled.phone)}
          close={() => cancel(null)}
        />
      )}
    </div>
  );
}

function List({ edit, cancel }: { edit(chosen: ChosenText): void; cancel(chosen: ChosenText): void }) {
  const { data, error, refetch, hasNextPage, fetchNextPage } = useInfiniteQuery(scheduledQuery);
  const { timeZone } = useAdvisor();
  const now = useNow();
  const rows = data?.pages.flatMap((page) => page.data) ?? [];
  const names = useNames(rows);
  const named = (each: ScheduledMessage) => ({ ...each, name: names.get(each.memberId) ?? null });
  const days = Map.groupBy(rows, ({ deliveryDate }) => dayName(deliveryDate, now, timeZone));
  if (error && !data) return <Broken error={error} retry={() => void refetch()} />;
  if (!data) return loading;
  if (rows.length === 0)
    return (
      <StateScreen icon="calendar-clock" title="Nothing is scheduled">
        Choose Schedule below a text to send it later, or every year on a birthday.
      </StateScreen>
    );
  return (
    <div className="page-body">
      {[...days].map(([day, texts]) => (
        <section key={day} className="section" aria-label={day}>
          <h2>{day}</h2>
          <ul>
            {texts.map((each) => (
              <li className="row planned" key={each.scheduledMessageId}>
                <Face name={names.get(each.memberId) ?? null} phone={each.phone} />
                <div className="grow">
                  <div className="row">
                    <Link to="/c/$memberId" params={{ memberId: each.memberId }} className="cut">
                      {names.get(each.memberId) ?? phoneWords(each.phone)}
                    </Link>
                    <span className="small soft">
                      <Time at={each.deliveryDate} zone={timeZone}>
                        {clockTime(each.deliveryDate, timeZone)}
                      </Time>
                    </span>
                    {each.frequency !== 0 && (
                      <span
                        className="chip"
                        title={each.nextDeliveryDates.map((at) => whenTime(at, now, timeZone)).join('\n')}
                      >
                        <Icon name="repeat" size={14} />
                        {frequencyWords[each.frequency]}
                      </span>
                    )}
                  </div>
                  <div className="soft cut">{each.text}</div>
                </div>
                <Button kind="small" onClick={() => edit(named(each))}>
                  Edit
                </Button>
                <Button kind="small quiet" onClick={() => cancel(named(each))}>
                  Cancel
                </Button>
              </li>
            ))}
          </ul>
        </section>
      ))}
      {hasNextPage && <Button onClick={() => void fetchNextPage()}>Show more</Button>}
    </div>
  );
}

/** The list has numbers; the conversations know whose they are. */
function useNames(rows: ScheduledMessage[]): Map<number, string> {
  const members = [...new Set(rows.map(({ memberId }) => memberId))];
  const found = useQueries({ queries: members.map((memberId) => conversationQuery(memberId)) });
  return new Map(found.flatMap(({ data }) => (data?.name ? [[data.memberId, data.name] as const] : [])));
}
