import { type CSSProperties, useEffect, useId, useRef, useState } from 'react';
import uPlot from 'uplot';
import 'uplot/dist/uPlot.min.css';
import './charts.css';
import { ChartTable } from './chart-table.tsx';
import { dayMs, stepName } from './scales.ts';

/** Each series is told apart by its name and its dashes or hatching, and then by its color. */
export type Look = 'first' | 'second' | 'third' | 'fourth' | 'good' | 'warn' | 'bad' | 'quiet';
/** A value for each step; null where nothing was measured. */
export type Series = { name: string; look: Look; values: readonly (number | null)[] };

export type ChartData = {
  title: string;
  /** What the values are: `texts`, `ms`. */
  unit: string;
  /** Lines to compare, or bars that add up. */
  kind: 'lines' | 'bars';
  /** When each step begins, in epoch milliseconds. */
  times: readonly number[];
  stepSeconds: number;
  series: Series[];
  format(value: number): string;
  /** Instead of a chart of nothing. */
  empty: string;
};

const height = 188;
/** Without the axis and what is above. */
const plotHeight = 142;

/** A chart in a card. Its values are read by pointer or arrow keys, and it can be a table. */
export function Chart({ data, note }: { data: ChartData; note?: string | undefined }) {
  const [isTable, showTable] = useState(false);
  const title = useId();
  return (
    <section className="console-card chart" aria-labelledby={title}>
      <header className="row">
        <h2 id={title}>{data.title}</h2>
        {note && <span className="small soft">{note}</span>}
        <button
          type="button"
          className="link small end"
          aria-pressed={isTable}
          aria-label={`${data.title}: ${isTable ? 'chart' : 'table'}`}
          onClick={() => showTable(!isTable)}
        >
          {isTable ? 'Chart' : 'Table'}
        </button>
      </header>
      <Names data={data} />
      {isTable ? <ChartTable data={data} /> : <Drawing data={data} />}
    </section>
  );
}

function Drawing({ data }: { data: ChartData }) {
  const { times, stepSeconds, series, empty, title } = data;
  const box = useRef<HTMLDivElement>(null);
  const plot = useRef<uPlot>(null);
  const [at, point] = useState<number | null>(null);
  const last = times.length - 1;
  const isEmpty = series.every(({ values }) => values.every((value) => !value));
  useEffect(() => {
    const element = box.current;
    if (!element) return;
    const drawn = new uPlot(optionsOf(data, element), valuesOf(data), element);
    plot.current = drawn;
    const sizes = new ResizeObserver(() => drawn.setSize({ width: element.clientWidth, height }));
    sizes.observe(element);
    // A picture doesn't follow the colors of the page by itself.
    const redraw = () => drawn.redraw();
    const media = ['print', '(prefers-color-scheme: dark)'].map((query) => matchMedia(query));
    for (const each of media) each.addEventListener('change', redraw);
    return () => {
      for (const each of media) each.removeEventListener('change', redraw);
      sizes.disconnect();
      drawn.destroy();
    };
  }, [data]);
  const placeOf = (step: number) => plot.current?.valToPos((times[step] ?? 0) + stepSeconds * 500, 'x') ?? 0;
  useEffect(() => {
    plot.current?.setCursor({ left: at === null ? -10 : placeOf(at), top: 0 });
  });
  const atPointer = ({ clientX }: { clientX: number }) => {
    if (plot.current) point(plot.current.posToIdx(clientX - plot.current.over.getBoundingClientRect().left));
  };
  return (
    <div className="chart-box" ref={box}>
      {isEmpty ? (
        <p className="chart-empty soft">{empty}</p>
      ) : (
        <input
          type="range"
          className="chart-reader"
          aria-label={`${title}: values`}
          min={0}
          max={last}
          value={at ?? last}
          aria-valuetext={spoken(data, at ?? last)}
          onChange={(event) => point(Number(event.currentTarget.value))}
          onPointerMove={atPointer}
          onPointerLeave={() => point(null)}
          onFocus={(event) => event.currentTarget.matches(':focus-visible') && point(at ?? last)}
          onBlur={() => point(null)}
          onKeyDown={({ key }) => key === 'Escape' && point(null)}
        />
      )}
      {at !== null && !isEmpty && (
        <Tip data={data} at={at} x={(plot.current?.over.offsetLeft ?? 0) + placeOf(at)} isLeft={at > last / 2} />
      )}
    </div>
  );
}

/** What is drawn, in the middle of each step. Of a line, the step that isn't over yet is paler; bars stand upon each other. */
function valuesOf({ times, stepSeconds, kind, series }: ChartData): uPlot.AlignedData {
  const middles = times.map((time) => time + stepSeconds * 500);
  const last = times.length - 1;
  if (kind === 'lines')
    return [
      middles,
      ...series.flatMap(({ values }) => [
        values.with(last, null),
        values.map((each, at) => (at < last - 1 ? null : each)),
      ]),
    ];
  const highest = Math.max(...times.map((_, at) => series.reduce((sum, { values }) => sum + (values[at] ?? 0), 0)));
  const below = times.map(() => 0);
  // At least a pixel: one failure among thousands is the one to see.
  const upon = (value: number | null, at: number) =>
    (below[at] = (below[at] ?? 0) + (value ? Math.max(value, highest / plotHeight) : 0));
  return [middles, ...series.map(({ values }) => values.map(upon))];
}

function optionsOf({ kind, series, times, stepSeconds, format, unit }: ChartData, element: HTMLElement): uPlot.Options {
  const colorOf = (name: string) => {
    element.style.color = `var(--${name})`;
    const { color } = getComputedStyle(element);
    element.style.color = '';
    return color;
  };
  const font = `11px ${getComputedStyle(element).fontFamily}`;
  const axis: uPlot.Axis = { stroke: () => colorOf('soft'), font, ticks: { show: false }, grid: { show: false } };
  const line = ({ look }: Series, nth: number): uPlot.Series[] => {
    const whole: uPlot.Series = {
      stroke: () => colorOf(look),
      width: 2,
      dash: dashes[look],
      points: { filter: ({ data }, index) => lonely(data[index] ?? []), size: 5, show: true },
    };
    const fill = () => `${colorOf(look).slice(0, -1)}, 0.1)`;
    return [nth === 0 ? { ...whole, fill } : whole, { ...whole, alpha: 0.45 }];
  };
  const bar = ({ look }: Series): uPlot.Series => ({
    fill: ({ ctx }) => hatched(ctx, look, colorOf(look), colorOf('paper')),
    width: 0,
    paths: uPlot.paths.bars?.({
      size: [0.75, 60],
      disp: {
        y0: { unit: 1, values: ({ data }, nth) => (nth === 1 ? times.map(() => 0) : [...(data[nth - 1] ?? [])]) },
        y1: { unit: 1, values: ({ data }, nth) => [...(data[nth] ?? [])] },
      },
    }),
    points: { show: false },
  });
  return {
    width: element.clientWidth,
    height,
    ms: 1,
    tzDate: (at) => (stepSeconds * 1000 >= dayMs ? uPlot.tzDate(new Date(at), 'Etc/UTC') : new Date(at)),
    padding: [10, 18, 0, 0],
    legend: { show: false },
    cursor: { y: false, points: { show: false } },
    scales: {
      x: { range: [times[0] ?? 0, (times.at(-1) ?? 0) + stepSeconds * 1000] },
      y: { range: (_, __, highest) => [0, Math.max(highest * 1.1, unit === 'ms' ? 1 : 3)] },
    },
    axes: [
      { ...axis, size: 36 },
      {
        ...axis,
        grid: { stroke: () => colorOf('line'), width: 1 },
        values: (_, ticks) => ticks.map((tick) => (unit === 'ms' || Number.isInteger(tick) ? format(tick) : '')),
      },
    ],
    series: [{}, ...(kind === 'bars' ? series.map(bar) : series.flatMap(line))],
  };
}

/** Steps without neighbors, which no line shows. */
function lonely(values: ArrayLike<number | null | undefined>): number[] {
  const has = (step: number) => typeof values[step] === 'number';
  return Array.from(values, (_, step) => step).filter((step) => has(step) && !has(step - 1) && !has(step + 1));
}

const dashes: Partial<Record<Look, number[]>> = {
  second: [6, 3],
  bad: [6, 3],
  third: [2, 3],
  quiet: [2, 3],
  fourth: [8, 3, 2, 3],
};
const slants = ['M0,5L5,0M-1,1L1,-1M4,6L6,4', 1.2] as const;
const spots = ['M1.7,2.5H3.3', 1.6] as const;
const bands = ['M0,2.5H5', 1.2] as const;
const hatchings: Partial<Record<Look, readonly [path: string, width: number]>> = {
  second: slants,
  bad: slants,
  third: spots,
  warn: spots,
  fourth: bands,
  quiet: bands,
};

function hatched(ctx: CanvasRenderingContext2D, look: Look, color: string, paper: string): CanvasPattern | string {
  const [path, width] = hatchings[look] ?? ['', 0];
  const tile = document.createElement('canvas');
  tile.width = tile.height = 5 * devicePixelRatio;
  const drawing = tile.getContext('2d');
  if (!drawing) return color;
  drawing.scale(devicePixelRatio, devicePixelRatio);
  drawing.fillStyle = color;
  drawing.fillRect(0, 0, 5, 5);
  drawing.strokeStyle = paper;
  drawing.lineWidth = width;
  if (path) drawing.stroke(new Path2D(path));
  return ctx.createPattern(tile, 'repeat') ?? color;
}

/** The names of its series, those of bars with their sums. */
function Names({ data: { kind, series, format } }: { data: ChartData }) {
  return (
    <ul className="chart-names small">
      {series.map(({ name, look, values }) => (
        <li key={name}>
          <Swatch look={look} kind={kind} />
          {name}{' '}
          {kind === 'bars' && (
            <b className="number">{format(values.reduce<number>((sum, value) => sum + (value ?? 0), 0))}</b>
          )}
        </li>
      ))}
    </ul>
  );
}

const Swatch = ({ look, kind }: { look: Look; kind: ChartData['kind'] }) => (
  <span className={`chart-swatch ${look} ${kind}`} style={{ '--color': `var(--${look})` } as CSSProperties} />
);

/** On the side of the moment where there is more room. */
function Tip({ data, at, x, isLeft }: { data: ChartData; at: number; x: number; isLeft: boolean }) {
  const { here, utc } = stepName(data.times[at] ?? 0, data.stepSeconds);
  return (
    <div
      className={`chart-tip small ${isLeft ? 'left' : ''}`}
      aria-hidden="true"
      ref={(element) => element?.style.setProperty('--x', `${Math.round(x)}px`)}
    >
      <b>{here}</b>
      <span className="soft">{utc}</span>
      <ul>
        {data.series.map(({ name, look, values }) => (
          <li key={name}>
            <Swatch look={look} kind={data.kind} />
            {name} <b className="number end">{valueIn(data, values[at])}</b>
          </li>
        ))}
      </ul>
    </div>
  );
}

function spoken(data: ChartData, at: number): string {
  const { here } = stepName(data.times[at] ?? 0, data.stepSeconds);
  return `${here}: ${data.series.map(({ name, values }) => `${name} ${valueIn(data, values[at])}`).join(', ')}`;
}

function valueIn({ unit, format }: ChartData, value: number | null | undefined): string {
  if (value === null || value === undefined) return 'none';
  return unit === 'ms' ? `${format(value)} ms` : format(value);
}
