import { type ReactNode, useMemo, useState } from 'react';
import { Button } from '../look/button.tsx';
import { Select } from '../look/fields.tsx';
import { Icon } from '../look/icons.tsx';
import { Chip } from '../look/parts.tsx';
import { toast } from '../shell/toasts.tsx';
import type { StateWord } from '../words/states.ts';
import { toCsv } from './csv.ts';
import { When } from './when.tsx';

export type Column<Row> = {
  name: string;
  /** What it is sorted, filtered and exported by, and shown as where there is no `cell`. */
  text(row: Row): string | number | null;
  cell?(row: Row): ReactNode;
  isNumber?: boolean;
  /** Rows that come page by page from the server are in its order. */
  isSorted?: boolean;
};

/** A column of moments, short, with all of each and UTC behind it. */
export function whenColumn<Row>(name: string, at: (row: Row) => string | null): Column<Row> {
  return { name, text: at, cell: (row) => <When at={at(row)} /> };
}

/** Whether accounts may be used. */
export function stateColumn<Row extends { disabled: boolean }>(): Column<Row> {
  return { name: 'State', text: (row) => accountState(row).word, cell: (row) => <Chip {...accountState(row)} /> };
}

export function accountState({ disabled }: { disabled: boolean }): StateWord {
  if (disabled) return { word: 'Disabled', icon: 'ban', tone: 'bad' };
  return { word: 'Active', icon: 'circle-check', tone: 'good' };
}

/** What can be done with a row. Read aloud, it says with which. */
export function RowButton({
  what,
  to,
  run,
  isBad = false,
}: {
  what: string;
  to: string;
  run(): unknown;
  isBad?: boolean;
}) {
  const start = async () => {
    try {
      await run();
    } catch (error) {
      toast((error as Error).message);
    }
  };
  return (
    <button
      type="button"
      className={`button small ${isBad ? 'bad' : ''}`}
      aria-label={`${what} ${to}`}
      onClick={() => void start()}
    >
      {what.replace(/( of|:)$/, '')}
    </button>
  );
}

type Order = { name: string; isDown: boolean };

const shownAtFirst = 50;

/** A table that sorts by a click on a column, filters, pages, and saves what it shows as CSV. */
export function DataTable<Row>({
  name,
  columns,
  rows,
  keyOf,
  title,
  actions,
  tools,
  buttons,
  more,
  empty = 'Nothing here yet.',
  hasFilter = true,
}: {
  /** What its rows are, such as `firms`: for the labels, and the file. */
  name: string;
  columns: Column<Row>[];
  /** Undefined while they load. */
  rows: Row[] | undefined;
  keyOf(row: Row): string | number;
  /** Above the table, where it isn't all of its page. */
  title?: string;
  /** Buttons at the end of a row. */
  actions?(row: Row): ReactNode;
  /** Beside the filter. */
  tools?: ReactNode;
  /** At the right, beside the export. */
  buttons?: ReactNode;
  /** Loads further rows from the server, if there are any. */
  more?: { has: boolean; isLoading: boolean; load(): void };
  empty?: ReactNode;
  hasFilter?: boolean;
}) {
  const [order, setOrder] = useState<Order | null>(null);
  const [wanted, want] = useState('');
  const [shown, show] = useState(shownAtFirst);
  const found = useMemo(
    () => sorted(filtered(rows ?? [], columns, wanted), columns, order),
    [rows, columns, wanted, order],
  );
  const visible = found.slice(0, shown);
  const hasMore = found.length > shown || more?.has;
  const width = columns.length + (actions ? 1 : 0);
  return (
    <div className="data-table">
      <div className="row wrap">
        {title && <h2 className="data-title">{title}</h2>}
        {hasFilter && (
          <label className="field data-filter">
            <Icon name="search" />
            <input
              type="search"
              aria-label={`Filter ${name}`}
              placeholder="Filter"
              value={wanted}
              onChange={({ target }) => want(target.value)}
            />
          </label>
        )}
        {tools}
        {rows && rows.length > 1 && <CardOrder name={name} columns={columns} order={order} setOrder={setOrder} />}
        <div className="row end">
          {buttons}
          <Button icon="download" disabled={found.length === 0} onClick={() => saveCsv(name, columns, found)}>
            CSV
          </Button>
        </div>
      </div>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: it scrolls sideways, also by keys. */}
      <section className="console-table" aria-label={name} tabIndex={0}>
        <table aria-busy={rows === undefined}>
          <thead>
            <tr>
              {columns.map((column) => (
                <Head key={column.name} column={column} order={order} setOrder={setOrder} />
              ))}
              {actions && (
                <th scope="col">
                  <span className="hidden-visually">Actions</span>
                </th>
              )}
            </tr>
          </thead>
          <tbody>
            {rows === undefined && <Skeleton width={width} />}
            {visible.map((row) => (
              <tr key={keyOf(row)}>
                {columns.map(({ name, cell, text, isNumber }) => (
                  <td key={name} className={isNumber ? 'number' : undefined} data-name={name}>
                    <div>{cell ? cell(row) : shownText(text(row))}</div>
                  </td>
                ))}
                {actions && <td className="data-actions">{actions(row)}</td>}
              </tr>
            ))}
          </tbody>
        </table>
        {/* Below the table, which may be wider than a phone. */}
        {rows && found.length === 0 && (
          <p className="data-empty">{rows.length === 0 ? empty : `Nothing matches “${wanted}”.`}</p>
        )}
      </section>
      {hasMore && <p className="only-print">There are more {name} than these.</p>}
      {hasMore && (
        <Button
          disabled={more?.isLoading}
          onClick={() => {
            show(shown + shownAtFirst);
            if (found.length <= shown + shownAtFirst && more?.has) more.load();
          }}
        >
          Show more
        </Button>
      )}
    </div>
  );
}

function Head<Row>({
  column: { name, isNumber, isSorted = true },
  order,
  setOrder,
}: {
  column: Column<Row>;
  order: Order | null;
  setOrder(order: Order): void;
}) {
  const mine = order?.name === name ? order : null;
  return (
    <th
      scope="col"
      className={isNumber ? 'number' : undefined}
      aria-sort={mine ? (mine.isDown ? 'descending' : 'ascending') : undefined}
    >
      {isSorted ? (
        <button
          type="button"
          className="data-sort"
          onClick={() => setOrder({ name, isDown: mine ? !mine.isDown : false })}
        >
          {name}
          {mine && <Icon name={mine.isDown ? 'chevron-down' : 'chevron-up'} size={14} />}
        </button>
      ) : (
        name
      )}
    </th>
  );
}

/** On a phone, where rows are cards and have no heads to click. */
function CardOrder<Row>({
  name,
  columns,
  order,
  setOrder,
}: {
  name: string;
  columns: Column<Row>[];
  order: Order | null;
  setOrder(order: Order | null): void;
}) {
  const orders = columns
    .filter(({ isSorted = true }) => isSorted)
    .flatMap(({ name }) => [false, true].map((isDown) => ({ name, isDown })));
  const at = orders.findIndex(({ name, isDown }) => name === order?.name && isDown === order.isDown);
  if (orders.length === 0) return null;
  return (
    <Select
      className="data-choice data-order"
      aria-label={`Sort ${name}`}
      none="Sort by"
      value={at < 0 ? '' : at}
      choose={(value) => setOrder((value && orders[Number(value)]) || null)}
      options={orders.map(({ name, isDown }, index) => [index, `${name}, ${isDown ? 'descending' : 'ascending'}`])}
    />
  );
}

function Skeleton({ width }: { width: number }) {
  return [0, 1, 2].map((line) => (
    <tr key={line}>
      <td colSpan={width}>
        <div className="skeleton data-skeleton" />
      </td>
    </tr>
  ));
}

/** A longer text, such as a firm's name or a reason, has several lines instead of a column that pushes the others out of sight. */
const lineMax = 40;

function shownText(text: string | number | null): ReactNode {
  if (text === null || text === '') return <span className="soft">–</span>;
  if (typeof text === 'number') return text.toLocaleString('en-US');
  return text.length > lineMax ? <span className="wrap-cell">{text}</span> : text;
}

function filtered<Row>(rows: Row[], columns: Column<Row>[], wanted: string): Row[] {
  const words = wanted.toLowerCase().split(/\s+/).filter(Boolean);
  if (words.length === 0) return rows;
  return rows.filter((row) => {
    const all = columns
      .map(({ text }) => text(row) ?? '')
      .join('\n')
      .toLowerCase();
    return words.every((word) => all.includes(word));
  });
}

function sorted<Row>(rows: Row[], columns: Column<Row>[], order: Order | null): Row[] {
  const column = columns.find(({ name }) => name === order?.name);
  if (!order || !column) return rows;
  const sign = order.isDown ? -1 : 1;
  return rows.toSorted((a, b) => sign * compare(column.text(a), column.text(b)));
}

const collator = new Intl.Collator('en-US', { numeric: true, sensitivity: 'base' });

/** Rows without a value come last going up. */
function compare(a: string | number | null, b: string | number | null): number {
  if (a === null || b === null) return Number(a === null) - Number(b === null);
  return typeof a === 'number' && typeof b === 'number' ? a - b : collator.compare(String(a), String(b));
}

export function saveCsv<Row>(name: string, columns: Pick<Column<Row>, 'name' | 'text'>[], rows: Row[]): void {
  const link = document.createElement('a');
  // With a byte order mark, Excel reads UTF-8.
  link.href = URL.createObjectURL(new Blob(['\uFEFF', toCsv(columns, rows)], { type: 'text/csv;charset=utf-8' }));
  link.download = `${name}.csv`;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 60_000);
}
