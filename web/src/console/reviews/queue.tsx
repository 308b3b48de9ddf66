import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { useNow } from '../../api/clock.ts';
import { Icon } from '../../look/icons.tsx';
import { Chip, Time } from '../../look/parts.tsx';
import { VirtualList } from '../../look/virtual-list.tsx';
import { phoneWords } from '../../words/people.ts';
import type { Order, QueuedReview, View } from './queries.ts';
import { age, subjectOf } from './words.ts';

type Search = { view?: View; order?: Order };

export function Queue({
  rows,
  open,
  search,
  selected,
  toggle,
  more,
  isEmpty,
}: {
  /** Null while they load. */
  rows: QueuedReview[] | null;
  open: number | undefined;
  search: Search;
  selected: ReadonlySet<number>;
  toggle(review: QueuedReview): void;
  more(): void;
  isEmpty: ReactNode;
}) {
  if (!rows) return <Loading />;
  if (rows.length === 0) return isEmpty;
  return (
    <VirtualList rows={rows} keyOf={({ reviewId }) => reviewId} rowHeight={92} open={open} more={more}>
      {(row) => (
        <Row
          review={row}
          isOpen={row.reviewId === open}
          search={search}
          isSelected={selected.has(row.reviewId)}
          toggle={() => toggle(row)}
        />
      )}
    </VirtualList>
  );
}

function Row({
  review,
  isOpen,
  search,
  isSelected,
  toggle,
}: {
  review: QueuedReview;
  isOpen: boolean;
  search: Search;
  isSelected: boolean;
  toggle(): void;
}) {
  const now = useNow();
  const { reviewId, name, phone, advisorName, excerpt, kind, dateTimeCreated, assignedName, escalatedAt } = review;
  const who = name ?? phoneWords(phone);
  return (
    <div className={`queued ${isSelected ? 'selected' : ''}`}>
      <Link
        to="/reviews/$reviewId"
        params={{ reviewId }}
        search={search}
        className="talk"
        aria-current={isOpen ? 'page' : undefined}
      >
        <span className="grow">
          <span className="row">
            <Chip {...subjectOf(review)} />
            {escalatedAt && <Icon name="arrow-up" size={14} />}
            {escalatedAt && <span className="hidden-visually">Escalated</span>}
            <span className="end small soft">
              <Time at={Date.parse(dateTimeCreated)}>{age(dateTimeCreated, now)}</Time>
            </span>
          </span>
          <span className="row queued-who">
            <b className="cut">{who}</b>
            <span className="small soft cut">
              {advisorName}
              {assignedName && ` · for ${assignedName}`}
            </span>
          </span>
          <span className="said cut">
            {kind === 'sample' ? 'chosen at random' : excerpt === null ? 'no longer kept' : `“${excerpt}”`}
          </span>
        </span>
      </Link>
      <label className="queued-check">
        <input type="checkbox" checked={isSelected} onChange={toggle} />
        <span className="hidden-visually">Select the review of {who}</span>
      </label>
    </div>
  );
}

function Loading() {
  return (
    <div className="list-scroll" role="status" aria-label="Loading">
      {[0, 1, 2, 3, 4, 5].map((line) => (
        <div className="talk" key={line}>
          <div className="skeleton queued-skeleton" />
        </div>
      ))}
    </div>
  );
}
