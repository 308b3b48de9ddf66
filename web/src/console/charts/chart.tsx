import { memo, useId, useMemo, useState } from 'react';
import './charts.css';
import { ChartTable } from './chart-table.tsx';
import { stepName, timeTicks, valueTicks } from './scales.ts';

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
const top = 10;
const bottom = 24;
const tickWidth = 7;
const nameWidth = 6.8;
const nameHeight = 14;

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
      {data.kind === 'bars' && <Names series={data.series} format={data.format} />}
      {isTable ? <ChartTable data={data} /> : <Drawing data={data} />}
    </section>
  );
}

function Drawing({ data }: { data: ChartData }) {
  const { times, series, empty, title } = data;
  const [width, setWidth] = useState(0);
  const [at, point] = useState<number | null>(null);
  const isEmpty = series.every(({ values }) => values.every((value) => !value));
  const plot = useMemo(() => plotOf(data, width), [data, width]);
  const measure = (element: HTMLDivElement | null) => {
    if (!element) return;
    const observer = new ResizeObserver(([entry]) => setWidth(Math.floor(entry?.contentRect.width ?? 0)));
    observer.observe(element);
    return () => observer.disconnect();
  };
  const steps = times.length;
  const atPointer = (event: { clientX: number; currentTarget: Element }) => {
    const { left } = event.currentTarget.getBoundingClientRect();
    point(Math.max(0, Math.min(steps - 1, Math.floor(((event.clientX - left) / plot.width) * steps))));
  };
  return (
    <div className="chart-box" ref={measure}>
      {width > 0 && (
        <svg width={width} height={height} aria-hidden="true">
          <Picture plot={plot} data={data} />
          {at !== null && !isEmpty && (
            <line className="chart-cursor" x1={plot.x(at)} x2={plot.x(at)} y1={top} y2={height - bottom} />
          )}
        </svg>
      )}
      {isEmpty ? (
        <p className="chart-empty soft">{empty}</p>
      ) : (
        width > 0 && (
          <input
            type="range"
            className="chart-reader"
            aria-label={`${title}: values`}
            min={0}
            max={steps - 1}
            value={at ?? steps - 1}
            aria-valuetext={spoken(data, at ?? steps - 1)}
            ref={(element) => {
              element?.style.setProperty('--left', `${plot.left}px`);
              element?.style.setProperty('--width', `${plot.width}px`);
            }}
            onChange={(event) => point(Number(event.currentTarget.value))}
            onPointerMove={atPointer}
            onPointerLeave={() => point(null)}
            onFocus={(event) => event.currentTarget.matches(':focus-visible') && point(at ?? steps - 1)}
            onBlur={() => point(null)}
            onKeyDown={({ key }) => key === 'Escape' && point(null)}
          />
        )
      )}
      {at !== null && !isEmpty && <Tip data={data} at={at} x={plot.x(at)} isLeft={at > steps / 2} />}
    </div>
  );
}

/** Not drawn again while somebody reads its values. */
const Picture = memo(function Picture({ plot, data }: { plot: Plot; data: ChartData }) {
  return (
    <>
      <Grid plot={plot} data={data} />
      {data.kind === 'bars' ? <Bars plot={plot} data={data} /> : <Lines plot={plot} data={data} />}
    </>
  );
});

type Plot = {
  left: number;
  width: number;
  right: number;
  ticks: number[];
  x(step: number): number;
  y(value: number): number;
};

function plotOf({ kind, series, times, format, unit }: ChartData, boxWidth: number): Plot {
  const highest =
    kind === 'bars'
      ? Math.max(0, ...times.map((_, step) => series.reduce((sum, { values }) => sum + (values[step] ?? 0), 0)))
      : Math.max(0, ...series.flatMap(({ values }) => values.map((value) => value ?? 0)));
  const ticks = valueTicks(highest, unit !== 'ms');
  const left = Math.ceil(Math.max(...ticks.map((tick) => format(tick).length)) * tickWidth) + 8;
  const longest = Math.max(...series.map(({ name }) => name.length));
  const right = kind === 'lines' ? Math.ceil(longest * nameWidth) + 10 : 4;
  const width = Math.max(40, boxWidth - left - right);
  const last = ticks.at(-1) ?? 1;
  return {
    left,
    width,
    right: left + width,
    ticks,
    x: (step) => left + ((step + 0.5) * width) / times.length,
    y: (value) => height - bottom - (value / last) * (height - top - bottom),
  };
}

function Grid({ plot, data }: { plot: Plot; data: ChartData }) {
  const { left, right, ticks, x, y } = plot;
  return (
    <>
      {ticks.map((tick) => (
        <g key={tick}>
          <line className={tick === 0 ? 'chart-zero' : 'chart-grid'} x1={left} x2={right} y1={y(tick)} y2={y(tick)} />
          <text className="chart-tick" x={left - 6} y={y(tick) + 4} textAnchor="end">
            {data.format(tick)}
          </text>
        </g>
      ))}
      {timeTicks(data.times, data.stepSeconds, plot.width).map(({ step, label }) => (
        <text key={step} className="chart-tick" x={x(step)} y={height - 6} textAnchor="middle">
          {label}
        </text>
      ))}
    </>
  );
}

/** Each with its name at its end. What isn't over yet is paler. */
function Lines({ plot, data }: { plot: Plot; data: ChartData }) {
  const { series } = data;
  const names = spread(
    series.map(({ values }) => plot.y(values.findLast((value) => value !== null) ?? 0)),
    { from: top + 4, to: height - bottom },
  );
  return series.map(({ name, look, values }, index) => {
    const [first] = series;
    const whole = values.slice(0, -1);
    return (
      <g key={name} className={`chart-series ${look}`}>
        {first?.name === name && <path className="chart-area" d={areaOf(plot, whole)} />}
        <path className="chart-line" d={pathOf(plot, whole)} />
        <path className="chart-line chart-unfinished" d={pathOf(plot, values.slice(-2), values.length - 2)} />
        {lonely(values).map((step) => (
          <circle key={step} className="chart-dot" cx={plot.x(step)} cy={plot.y(values[step] ?? 0)} r={2} />
        ))}
        <text className="chart-name" x={plot.right + 6} y={(names[index] ?? 0) + 4}>
          {name}
        </text>
      </g>
    );
  });
}

/** Runs without gaps, as the `d` of a path. */
function runsOf(values: readonly (number | null)[], from = 0): { step: number; value: number }[][] {
  const runs: { step: number; value: number }[][] = [[]];
  values.forEach((value, index) => {
    if (value === null) runs.push([]);
    else runs.at(-1)?.push({ step: from + index, value });
  });
  return runs.filter(({ length }) => length > 0);
}

function pathOf({ x, y }: Plot, values: readonly (number | null)[], from = 0): string {
  const at = ({ step, value }: { step: number; value: number }) => `${x(step).toFixed(1)},${y(value).toFixed(1)}`;
  return runsOf(values, from)
    .map((run) => `M${run.map(at).join('L')}`)
    .join('');
}

function areaOf(plot: Plot, values: readonly (number | null)[]): string {
  const { x, y } = plot;
  return runsOf(values)
    .map((run) => {
      const [first] = run;
      const last = run.at(-1);
      const line = run.map(({ step, value }) => `${x(step).toFixed(1)},${y(value).toFixed(1)}`).join('L');
      return `M${x(first?.step ?? 0)},${y(0)}L${line}L${x(last?.step ?? 0)},${y(0)}Z`;
    })
    .join('');
}

/** Steps without neighbors, which no line shows. */
function lonely(values: readonly (number | null)[]): number[] {
  return values.flatMap((value, step) => {
    const isAlone = (values[step - 1] ?? null) === null && (values[step + 1] ?? null) === null;
    return value !== null && isAlone ? step : [];
  });
}

/** Moved apart, so that none is upon another. */
function spread(wanted: number[], { from, to }: { from: number; to: number }): number[] {
  const order = wanted.map((y, index) => ({ y, index })).sort((one, other) => one.y - other.y);
  let least = from;
  for (const each of order) {
    each.y = Math.max(each.y, least);
    least = each.y + nameHeight;
  }
  const over = Math.max(0, (order.at(-1)?.y ?? 0) - to);
  const result: number[] = [];
  for (const { y, index } of order) result[index] = y - over;
  return result;
}

function Bars({ plot, data }: { plot: Plot; data: ChartData }) {
  const id = useId();
  const { series, times } = data;
  const slot = plot.width / times.length;
  const gap = slot > 6 ? 2 : slot > 3 ? 1 : 0;
  const below = times.map(() => 0);
  return (
    <>
      <defs>
        {series.map(({ look }) => (
          <pattern key={look} id={`${id}-${look}`} width="5" height="5" patternUnits="userSpaceOnUse">
            <Hatching look={look} />
          </pattern>
        ))}
      </defs>
      {series.map(({ name, look, values }) => {
        const d = values.map((value, step) => {
          if (!value) return '';
          const from = plot.y(below[step] ?? 0);
          below[step] = (below[step] ?? 0) + value;
          // At least a pixel: one failure among thousands is the one to see.
          const to = Math.min(plot.y(below[step] ?? 0), from - 1);
          const x = plot.left + step * slot + gap / 2;
          return `M${x.toFixed(1)},${from.toFixed(1)}h${(slot - gap).toFixed(1)}V${to.toFixed(1)}h${(gap - slot).toFixed(1)}Z`;
        });
        return (
          <g key={name} className={`chart-series ${look}`}>
            <path className="chart-bar" d={d.join('')} />
            <path fill={`url(#${id}-${look})`} d={d.join('')} />
          </g>
        );
      })}
    </>
  );
}

function Hatching({ look }: { look: Look }) {
  if (look === 'bad' || look === 'second') return <path className="chart-hatch" d="M0,5L5,0M-1,1L1,-1M4,6L6,4" />;
  if (look === 'warn' || look === 'third') return <circle className="chart-spot" cx="2.5" cy="2.5" r="1" />;
  if (look === 'quiet' || look === 'fourth') return <path className="chart-hatch" d="M0,2.5H5" />;
  return null;
}

/** Bars have their names above them, each with its sum. */
function Names({ series, format }: Pick<ChartData, 'series' | 'format'>) {
  return (
    <ul className="chart-names small">
      {series.map(({ name, look, values }) => (
        <li key={name}>
          <Swatch look={look} isBar />
          {name} <b className="number">{format(values.reduce<number>((sum, value) => sum + (value ?? 0), 0))}</b>
        </li>
      ))}
    </ul>
  );
}

function Swatch({ look, isBar }: { look: Look; isBar: boolean }) {
  const id = useId();
  return (
    <svg width="14" height="10" className={`chart-series ${look}`} aria-hidden="true">
      {isBar ? (
        <>
          <pattern id={id} width="5" height="5" patternUnits="userSpaceOnUse">
            <Hatching look={look} />
          </pattern>
          <rect className="chart-bar" width="14" height="10" rx="2" />
          <rect fill={`url(#${id})`} width="14" height="10" rx="2" />
        </>
      ) : (
        <path className="chart-line" d="M0,5H14" />
      )}
    </svg>
  );
}

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
            <Swatch look={look} isBar={data.kind === 'bars'} />
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
