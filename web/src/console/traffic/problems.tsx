import { type Column, DataTable } from '../table.tsx';
import type { Traffic } from './queries.ts';
import { problemName, share } from './words.ts';

type Problem = Traffic['problems'][number] & { of: number };

const columns: Column<Problem>[] = [
  { name: 'Why', text: ({ code }) => problemName(code), cell: ({ code }) => <b>{problemName(code)}</b> },
  { name: 'Requests', text: ({ amount }) => amount, isNumber: true },
  {
    name: 'Share',
    text: ({ amount, of }) => amount / of,
    cell: ({ amount, of }) => share(amount, of),
    isNumber: true,
  },
];

/** What requests were refused or failed for. */
export function Problems({ traffic }: { traffic: Traffic | undefined }) {
  const rows = traffic?.problems.map((each) => ({ ...each, of: traffic.totals.requests.all }));
  return (
    <div className="traffic-part">
      <h2>Errors</h2>
      <DataTable
        name="errors"
        columns={columns}
        rows={rows}
        keyOf={({ code }) => code}
        hasFilter={false}
        empty="Every request was answered."
      />
    </div>
  );
}
