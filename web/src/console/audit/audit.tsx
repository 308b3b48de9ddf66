import { useInfiniteQuery, useQuery } from '@tanstack/react-query';
import { useNavigate, useSearch } from '@tanstack/react-router';
import { useState } from 'react';
import type { actors, list } from '../../../../server/src/http/console/audit.ts';
import { get } from '../../api/http.ts';
import { Button } from '../../look/button.tsx';
import { Select } from '../../look/fields.tsx';
import { Broken } from '../../look/parts.tsx';
import { dayAfter } from '../../words/months.ts';
import { instantOf } from '../../words/schedules.ts';
import { ownZone } from '../../words/times.ts';
import type { AnswerOf, RowOf } from '../answers.ts';
import { DayField } from '../day-field.tsx';
import { listQuery } from '../lists.ts';
import { type Column, DataTable } from '../table.tsx';
import { When } from '../when.tsx';
import { ExplainTimes } from './explain-times.tsx';
import { type AuditEntry, actorWords, detailWords, kindNames, whatWords } from './words.ts';

type AuditSearch = { kind?: string; actor?: string; day?: string };

const actorsQuery = listQuery<RowOf<typeof actors>>('/audit/actors');

/** Who changed what, the newest first. It has no texts. */
export function Audit() {
  const search = useSearch({ from: '/audit' });
  const navigate = useNavigate();
  const [isExplaining, explain] = useState(false);
  const actors = useQuery(actorsQuery).data;
  const { kind, actor, day } = search;
  const { data, error, hasNextPage, isFetchingNextPage, fetchNextPage } = useInfiniteQuery({
    queryKey: ['/audit', kind, actor, day],
    initialPageParam: undefined as string | undefined,
    queryFn: ({ pageParam }) =>
      get<AnswerOf<typeof list>>('/audit', { query: { kind, actor, cursor: pageParam, ...boundsOf(day) } }),
    getNextPageParam: ({ cursor }) => cursor ?? undefined,
  });
  if (error && !data) return <Broken error={error} />;
  const set = (change: Partial<Record<keyof AuditSearch, string>>) => {
    const given = Object.entries({ ...search, ...change }).filter(([, value]) => value);
    void navigate({ to: '/audit', search: Object.fromEntries(given) as AuditSearch, replace: true });
  };
  return (
    <div className="console-page">
      <header className="console-head">
        <h1>Audit log</h1>
        <span className="soft">Entries of the archive about accounts and settings</span>
        <Button kind="end" onClick={() => explain(true)}>
          Explain times
        </Button>
      </header>
      <DataTable
        name="audit log"
        columns={columns}
        rows={data?.pages.flatMap((page) => page.data)}
        keyOf={({ id }) => id}
        hasFilter={false}
        more={{ has: hasNextPage, isLoading: isFetchingNextPage, load: () => void fetchNextPage() }}
        empty="Nothing fits. Choose another day, kind or person."
        tools={
          <>
            <Select
              className="data-choice"
              aria-label="Kind"
              value={kind}
              choose={(kind) => set({ kind })}
              none="Everything"
              options={Object.entries(kindNames)}
            />
            <Select
              className="data-choice"
              aria-label="Who"
              value={actor}
              choose={(actor) => set({ actor })}
              none="By anybody"
              options={[
                ['operator', 'By command'],
                ['service', 'By Assent itself'],
                ...(actors?.map(({ actor, name }) => [actor, name] as const) ?? []),
              ]}
            />
            <DayField className="data-choice" aria-label="Day" day={day ?? ''} set={(day) => set({ day })} />
          </>
        }
      />
      {isExplaining && <ExplainTimes close={() => explain(false)} />}
    </div>
  );
}

/** The reader's day. */
function boundsOf(day: string | undefined): { since?: string; until?: string } {
  const [since, until] = day ? [instantOf(`${day}T00:00`, ownZone), instantOf(`${dayAfter(day)}T00:00`, ownZone)] : [];
  return since && until ? { since: new Date(since).toISOString(), until: new Date(until).toISOString() } : {};
}

const columns: Column<AuditEntry>[] = [
  { name: 'When', text: ({ at }) => at, cell: ({ at }) => <When at={at} />, isSorted: false },
  { name: 'Who', text: actorWords, cell: (entry) => <b>{actorWords(entry)}</b>, isSorted: false },
  { name: 'What', text: whatWords, isSorted: false },
  { name: 'About', text: ({ about }) => about, isSorted: false },
  {
    name: 'Details',
    text: ({ details }) => detailWords(details),
    cell: ({ details }) => <span className="wrap-cell small">{detailWords(details)}</span>,
    isSorted: false,
  },
];
