import { useQueries } from '@tanstack/react-query';
import { useLocation, useNavigate } from '@tanstack/react-router';
import { useVirtualizer } from '@tanstack/react-virtual';
import { memo, useCallback, useDeferredValue, useRef } from 'react';
import { useNow } from '../api/clock.ts';
import { type ContactFilter, contactsPageSize, contactsQuery, findByPhone } from '../api/queries.ts';
import { useAdvisor } from '../api/session.ts';
import type { AppContact } from '../api/types.ts';
import { Icon } from '../look/icons.tsx';
import { Chip, Face, Time } from '../look/parts.tsx';
import { useKeys } from '../shell/keys.ts';
import { count, phoneWords } from '../words/people.ts';
import { consentOf } from '../words/states.ts';
import { shortTime } from '../words/times.ts';

const rowHeight = 47;
/** Rows that are drawn before and after those in sight. */
const overscan = 8;

/** How far a list was scrolled when it was left, by visit and filter: Back brings it back. */
const tops = new Map<string, number>();

export type Sort = Pick<ContactFilter, 'sortBy' | 'sortDirection'>;
export type Selection = ReadonlyMap<number, AppContact>;

const columns: { by: Sort['sortBy'] | null; name: string; isWide?: boolean }[] = [
  { by: 'fullName', name: 'Name' },
  { by: null, name: 'Phone' },
  { by: null, name: 'Texting', isWide: true },
  { by: 'groupCount', name: 'Groups', isWide: true },
  { by: null, name: 'Last text', isWide: true },
  { by: 'dateTimeModified', name: 'Changed', isWide: true },
];

type Props = {
  filter: ContactFilter;
  total: number;
  selected: Selection;
  select(contact: AppContact, isSelected: boolean): void;
  setSort(sort: Sort): void;
  edit(contactId: number): void;
};

/** Only the rows that are seen are there, and only their pages are fetched. */
export function People({ filter, total, selected, select, setSort, edit }: Props) {
  const scroll = useRef<HTMLDivElement>(null);
  const navigate = useNavigate();
  const visit = useLocation({ select: ({ state }) => state.__TSR_key + JSON.stringify(filter) });
  const virtual = useVirtualizer({
    count: total,
    initialOffset: () => tops.get(visit) ?? 0,
    getScrollElement: () => scroll.current,
    estimateSize: () => rowHeight,
    overscan,
    // Who scrolls fast waits for no row: see Row.
    useFlushSync: false,
  });
  const shown = virtual.getVirtualItems();
  const [from = 0, until = 0] = [shown[0]?.index, shown.at(-1)?.index];
  // With the next ones, whichever way somebody scrolls: to fill in a whole screen of blank rows takes longer than to change them.
  const near = [from - contactsPageSize / 2, from, until, until + contactsPageSize / 2];
  const pages = [...new Set(near.filter((index) => index >= 0 && index < total).map(pageOf))];
  const loaded = useQueries({ queries: pages.map((page) => contactsQuery(filter, page)) });
  const contactAt = (index: number): AppContact | undefined =>
    loaded[pages.indexOf(pageOf(index))]?.data?.data[index % contactsPageSize];

  const write = useCallback(
    async ({ phone, fullName, contactId }: AppContact) => {
      if (!phone) return;
      const known = await findByPhone(phone).catch(() => null);
      if (known)
        void navigate({ to: '/c/$memberId', params: { memberId: known.memberId }, state: { isWriting: true } });
      else void navigate({ to: '/new', state: { to: { phone, name: fullName, contactId } } });
    },
    [navigate],
  );
  /** From the row that has the focus, or else the first that is seen. */
  const move = (by: 1 | -1) => {
    const rows = [...(scroll.current?.querySelectorAll<HTMLElement>('tr.row-of') ?? [])];
    const at = rows.findIndex((row) => row.contains(document.activeElement));
    const next = at < 0 ? rows.find((row) => row.offsetTop >= (scroll.current?.scrollTop ?? 0)) : rows[at + by];
    next?.querySelector<HTMLElement>('.name-link')?.focus();
  };
  const toggle = () =>
    document.activeElement?.closest('tr')?.querySelector<HTMLElement>('input[type=checkbox]')?.click();
  useKeys({ j: () => move(1), k: () => move(-1), x: toggle });

  /** As many as there can be at a time, so that rows are used again for other people: a jump changes their words and makes no new ones. */
  const places = Math.ceil((virtual.scrollRect?.height ?? 0) / rowHeight) + 2 * overscan + 2;
  const top = shown[0]?.start ?? 0;
  const bottom = virtual.getTotalSize() - (shown.at(-1)?.end ?? 0);
  return (
    <section
      className="people"
      ref={scroll}
      onScroll={({ currentTarget }) => tops.set(visit, currentTarget.scrollTop)}
      // biome-ignore lint/a11y/noNoninteractiveTabindex: a region that scrolls must be reachable with the keyboard
      tabIndex={0}
      aria-label="Contacts"
    >
      <p className="only-print">
        {total > shown.length
          ? `${shown.length} of ${count(total, 'person', 'people')}, as they were in sight. Export has all of them.`
          : count(total, 'person', 'people')}
      </p>
      <table aria-rowcount={total + 1}>
        <thead>
          <tr aria-rowindex={1}>
            <th className="tick">
              <span className="hidden-visually">Selected</span>
            </th>
            {columns.map((column) => (
              <Heading key={column.name} {...column} sort={filter} setSort={setSort} />
            ))}
          </tr>
        </thead>
        <tbody>
          {top > 0 && <Space height={top} />}
          {shown.map(({ index }) => (
            <Row key={index % places} {...{ index, contact: contactAt(index), selected, select, edit, write }} />
          ))}
          {bottom > 0 && <Space height={bottom} />}
        </tbody>
      </table>
    </section>
  );
}

function Heading({
  by,
  name,
  isWide,
  sort,
  setSort,
}: (typeof columns)[number] & { sort: Sort; setSort(sort: Sort): void }) {
  const isSorted = by !== null && by === sort.sortBy;
  const isUp = sort.sortDirection === 'asc';
  return (
    <th className={isWide ? 'wide' : ''} aria-sort={isSorted ? (isUp ? 'ascending' : 'descending') : undefined}>
      {by ? (
        <button type="button" onClick={() => setSort({ sortBy: by, sortDirection: isSorted && isUp ? 'desc' : 'asc' })}>
          {name}
          {isSorted && <Icon name={isUp ? 'arrow-up' : 'arrow-down'} size={14} />}
        </button>
      ) : (
        name
      )}
    </th>
  );
}

type CellsProps = Pick<Props, 'select' | 'edit'> & {
  contact: AppContact;
  isSelected: boolean;
  write(contact: AppContact): Promise<void>;
};

/** Shows somebody else once the browser has time for it, a few rows at a go, so that a jump through the book doesn't block it. */
function Row({
  index,
  contact,
  selected,
  ...acts
}: Pick<Props, 'selected'> &
  Pick<CellsProps, 'select' | 'edit' | 'write'> & { index: number; contact: AppContact | undefined }) {
  const shown = useDeferredValue(contact);
  const isSelected = shown !== undefined && selected.has(shown.contactId);
  return (
    <tr className={`row-of ${isSelected ? 'selected' : ''}`} aria-rowindex={index + 2}>
      {shown ? <Cells {...acts} contact={shown} isSelected={isSelected} /> : <Blank />}
    </tr>
  );
}

/** Kept while somebody scrolls: only rows that come into sight are drawn. */
const Cells = memo(function Cells({ contact, isSelected, select, edit, write }: CellsProps) {
  const { fullName, phone, groupNames, state, isHeld, lastText, changed } = contact;
  const { timeZone } = useAdvisor();
  const now = useNow();
  const name = phone === fullName ? phoneWords(fullName) : fullName;
  const texting = phone ? (
    <Chip {...consentOf({ state, isHeld })} />
  ) : (
    <Chip word="No phone" icon="phone-off" tone="quiet" />
  );
  const time = (at: number) => (
    <Time at={at} zone={timeZone}>
      {shortTime(at, now, timeZone)}
    </Time>
  );
  return (
    <>
      <td className="tick">
        <input
          type="checkbox"
          aria-label={`Select ${name}`}
          checked={isSelected}
          onChange={({ target }) => select(contact, target.checked)}
        />
      </td>
      <td>
        <span className="row">
          <Face name={fullName} phone={phone ?? ''} size="tiny" />
          <button type="button" className="link name-link cut" title={name} onClick={() => edit(contact.contactId)}>
            {name}
          </button>
        </span>
      </td>
      <td className="number">
        {phone && (
          <button type="button" className="link phone-link" title="Write a text" onClick={() => void write(contact)}>
            {phoneWords(phone)}
          </button>
        )}
        {/* Where there is no room for a column of its own. */}
        <span className="narrow">{texting}</span>
      </td>
      <td className="wide">{texting}</td>
      <td className="wide soft">{groupNames.join(', ')}</td>
      <td className="wide soft">{lastText !== null && time(lastText)}</td>
      <td className="wide soft">{time(changed)}</td>
    </>
  );
});

function Space({ height }: { height: number }) {
  return (
    <tr>
      {/* Over the first column only: one over all of them would make room for those that a phone hides. */}
      <td style={{ height, padding: 0, border: 0 }} />
    </tr>
  );
}

function Blank() {
  return [{ name: '', isWide: false }, ...columns].map(({ name, isWide }) => (
    <td key={name} className={isWide ? 'wide' : ''}>
      {name && <div className="skeleton" style={{ width: '60%', height: 14 }} />}
    </td>
  ));
}

function pageOf(index: number): number {
  return Math.floor(index / contactsPageSize) + 1;
}
