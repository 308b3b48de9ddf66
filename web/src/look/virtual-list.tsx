import { measureElement, useVirtualizer } from '@tanstack/react-virtual';
import { type ReactNode, useEffect, useRef } from 'react';

/** So many rows before the end, the next page is loaded. */
const ahead = 10;

/** Only rows that come into sight are drawn, and the next page is loaded before the end is reached. */
export function VirtualList<Row>({
  rows,
  keyOf,
  rowHeight,
  more,
  open,
  children,
}: {
  rows: Row[];
  keyOf(row: Row): number;
  /** About this many pixels. */
  rowHeight: number;
  more(): void;
  /** The key of the row to keep in sight. */
  open: number | undefined;
  children(row: Row): ReactNode;
}) {
  const scroll = useRef<HTMLDivElement>(null);
  const virtual = useVirtualizer({
    count: rows.length,
    getScrollElement: () => scroll.current,
    estimateSize: () => rowHeight,
    getItemKey: (index) => (rows[index] === undefined ? index : keyOf(rows[index])),
    overscan: 6,
    // A phone hides the list while a conversation is open. Rows then keep their heights, and Back shows the same ones.
    measureElement: (row, entry, list) =>
      measureElement(row, entry, list) || measureElement(row, undefined, list) || rowHeight,
  });
  const shown = virtual.getVirtualItems();
  const lastShown = shown.at(-1)?.index ?? 0;
  // biome-ignore lint/correctness/useExhaustiveDependencies: `more` is new with every render.
  useEffect(() => {
    if (lastShown >= rows.length - ahead) more();
  }, [lastShown, rows.length]);
  // biome-ignore lint/correctness/useExhaustiveDependencies: to the open one when it changes.
  useEffect(() => {
    const at = rows.findIndex((row) => keyOf(row) === open);
    if (at >= 0 && scroll.current?.offsetHeight) virtual.scrollToIndex(at);
  }, [open]);
  return (
    <div className="list-scroll" ref={scroll} tabIndex={-1}>
      <ul style={{ height: virtual.getTotalSize(), position: 'relative' }}>
        {shown.map(({ index, key, start }) => (
          <li
            key={key}
            data-index={index}
            ref={virtual.measureElement}
            style={{ position: 'absolute', top: 0, left: 0, width: '100%', transform: `translateY(${start}px)` }}
          >
            {children(rows[index] as Row)}
          </li>
        ))}
      </ul>
    </div>
  );
}
