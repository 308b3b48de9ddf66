import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import type { doctor } from '../../../../server/src/http/console/operations.ts';
import { get } from '../../api/http.ts';
import { Button } from '../../look/button.tsx';
import { Icon } from '../../look/icons.tsx';
import { Broken, Chip, Loading } from '../../look/parts.tsx';
import { sentence } from '../../words/imports.ts';
import type { StateWord } from '../../words/states.ts';
import type { AnswerOf, RowOf } from '../answers.ts';
import { places } from '../places.ts';

type Finding = RowOf<typeof doctor>;

const states: Record<Finding['state'], StateWord> = {
  failing: { word: 'Failing', icon: 'alert-triangle', tone: 'bad' },
  warning: { word: 'To do', icon: 'alert-triangle', tone: 'warn' },
  ok: { word: 'Good', icon: 'circle-check', tone: 'good' },
};
/** The page where a check's next step can be taken, by the first word of the check. */
const pages: Record<string, string> = {
  carrier: '/carriers',
  carriers: '/carriers',
  numbers: '/carriers',
  outbox: '/jobs',
  processes: '/jobs',
  in: '/doubts',
  webhooks: '/webhooks',
};
const order = ['failing', 'warning', 'ok'] as const;

/** Every check of the deployment, what is wrong first, with what to do. */
export function Doctor() {
  const { data, error, isFetching, refetch } = useQuery({
    queryKey: ['/doctor'],
    queryFn: () => get<AnswerOf<typeof doctor>>('/doctor'),
  });
  if (error && !data) return <Broken error={error} />;
  const count = (state: Finding['state']) => data?.data.filter((each) => each.state === state).length ?? 0;
  const bad = count('failing') + count('warning');
  return (
    <div className="console-page">
      <header className="console-head">
        <h1>Doctor</h1>
        {data && <Chip {...states.ok} word={`${count('ok')} good`} />}
        {count('warning') > 0 && <Chip {...states.warning} word={`${count('warning')} to do`} />}
        {count('failing') > 0 && <Chip {...states.failing} word={`${count('failing')} failing`} />}
        <Button icon="refresh" kind="end" disabled={isFetching} onClick={() => void refetch()}>
          Check again
        </Button>
      </header>
      {data ? (
        <>
          {bad === 0 && (
            <p className="hint">
              <Icon name="circle-check" />
              Nothing needs you.
            </p>
          )}
          <ul className="findings">
            {order.flatMap((state) =>
              data.data
                .filter((each) => each.state === state)
                .map((each) => <FoundThat key={`${each.check} ${each.says}`} {...each} />),
            )}
          </ul>
          <p className="small soft">
            As one node sees it, with its settings. <code>assent doctor</code> says the same, for each machine.
          </p>
        </>
      ) : (
        <Loading height={220} />
      )}
    </div>
  );
}

function FoundThat({ check, state, says, next }: Finding) {
  const place = places.find(({ to }) => to === pages[check.split(' ')[0] ?? '']);
  return (
    <li className="finding">
      <Chip {...states[state]} />
      <b>{`${check[0]?.toUpperCase()}${check.slice(1)}`}</b>
      <div>
        <p>{sentence(says)}</p>
        {next && (
          <p className="finding-next">
            <Icon name="chevron-right" size={16} />
            <span>
              <Next text={next} />{' '}
              {place && (
                <Link className="in-text" to={place.to}>
                  {place.name}
                </Link>
              )}
            </span>
          </p>
        )}
      </div>
    </li>
  );
}

/** The guides that it names are pages of ours. */
function Next({ text }: { text: string }) {
  const parts = text.split(/(docs\/[\w/-]+\.md(?:#[\w-]+)?)/);
  return (
    <>
      {parts.map((part, index) =>
        index % 2 === 1 ? (
          // biome-ignore lint/suspicious/noArrayIndexKey: the parts of one sentence stay where they are.
          <a className="in-text" href={`/${part.replace('.md', '')}`} key={index}>
            the guide
          </a>
        ) : (
          part
        ),
      )}
    </>
  );
}
