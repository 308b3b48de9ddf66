import { Icon } from '../../look/icons.tsx';
import { count, phoneWords } from '../../words/people.ts';
import { Marked } from '../reviews/thread.tsx';
import { When } from '../when.tsx';
import { type Action, type DryRun, outcomeNames } from './rules.ts';

const actions: readonly Action[] = ['flag', 'hold', 'block'];

/** What the rules would have done, beside what those in force do with the same texts. */
export function DryRunResult({ run, isStale }: { run: DryRun; isStale: boolean }) {
  const { texts, days, stopped, before, after, changed, rules, examples, presentVersion } = run;
  const moved = rules.filter((each) => each.before !== each.after);
  return (
    <section className="console-card lexicon-run" aria-labelledby="dry-run" aria-live="polite">
      <h2 id="dry-run">Dry run</h2>
      {isStale && (
        <p className="hint warn">
          <Icon name="alert-triangle" />
          You have changed the rules since.
        </p>
      )}
      <p>
        {count(texts, 'text')} of the last {days} days, both ways.{' '}
        <b>
          {changed === 0 ? 'None would be treated otherwise.' : `${count(changed, 'text')} would be treated otherwise.`}
        </b>
      </p>
      {stopped && (
        <p className="hint warn">
          <Icon name="clock" />
          {stopped === 'time'
            ? 'It stopped after 6 seconds: these are the newest texts of each advisor, not all of them.'
            : 'It stopped after 20,000 texts: these are the newest of each advisor, not all of them.'}
        </p>
      )}
      <table className="lexicon-tally">
        <thead>
          <tr>
            <th scope="col">
              <span className="hidden-visually">What happens</span>
            </th>
            <th scope="col">{presentVersion === 0 ? 'Built-in' : `Version ${presentVersion}`}</th>
            <th scope="col">These rules</th>
          </tr>
        </thead>
        <tbody>
          {actions.map((action) => (
            <tr key={action}>
              <th scope="row">{outcomeNames[action]}</th>
              <td className="number">{before[action].toLocaleString('en-US')}</td>
              <td className="number">
                <b>{after[action].toLocaleString('en-US')}</b>
              </td>
            </tr>
          ))}
          {moved.map(({ rule, before, after }) => (
            <tr key={rule} className="soft">
              <th scope="row">{rule}</th>
              <td className="number">{before.toLocaleString('en-US')}</td>
              <td className="number">{after.toLocaleString('en-US')}</td>
            </tr>
          ))}
        </tbody>
      </table>
      {examples.length > 0 && (
        <>
          <h3>Examples</h3>
          <ul className="lexicon-examples">
            {examples.map((example) => (
              <li key={`${example.dateTime} ${example.phone} ${example.excerpt}`}>
                <p>
                  “<Marked text={example.excerpt} marks={example.marks} />”
                </p>
                <p className="small soft">
                  {outcomeNames[example.before ?? 'none']} → <b>{outcomeNames[example.after ?? 'none']}</b>
                  {example.rules.length > 0 && `, ${example.rules.join(', ')}`} ·{' '}
                  {example.isReply ? `reply to ${example.advisorName}` : example.advisorName}
                  {example.phone && `, ${phoneWords(example.phone)}`} · <When at={example.dateTime} />
                </p>
              </li>
            ))}
          </ul>
        </>
      )}
    </section>
  );
}
