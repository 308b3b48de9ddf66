import type { ChartData } from './chart.tsx';
import { stepName } from './scales.ts';

/** The same values for those who read rather than look, newest first. */
export function ChartTable({ data }: { data: ChartData }) {
  const { title, unit, times, stepSeconds, series, format } = data;
  const newest = times.map((time, step) => ({ time, step })).reverse();
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reached by the keyboard.
    <section className="chart-table" aria-label={`${title}, as a table`} tabIndex={0}>
      <table className="small">
        <caption className="hidden-visually">
          {title}, {unit}
        </caption>
        <thead>
          <tr>
            <th scope="col">Time</th>
            {series.map(({ name }) => (
              <th scope="col" className="number" key={name}>
                {name}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {newest.map(({ time, step }) => {
            const { here, utc } = stepName(time, stepSeconds);
            return (
              <tr key={time}>
                <th scope="row" title={utc}>
                  {here}
                </th>
                {series.map(({ name, values }) => {
                  const value = values[step] ?? null;
                  return (
                    <td className="number" key={name}>
                      {value === null ? '–' : format(value)}
                    </td>
                  );
                })}
              </tr>
            );
          })}
        </tbody>
      </table>
    </section>
  );
}
