import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import type { doctor } from '../../../../server/src/http/console/operations.ts';
import { get } from '../../api/http.ts';
import { Chip } from '../../look/parts.tsx';
import { sentence } from '../../words/imports.ts';
import type { AnswerOf, RowOf } from '../answers.ts';
import { places } from '../places.ts';

type Finding = RowOf<typeof doctor>;

/** An examination takes a second or so, and nothing in it changes from moment to moment. */
const freshMs = 5 * 60_000;

/** What the doctor found, in one line: how many are good, and the first that isn't. */
export function DoctorLine() {
  const place = places.find(({ to }) => to === '/doctor');
  const { data } = useQuery({
    queryKey: ['/doctor'],
    queryFn: () => get<AnswerOf<typeof doctor>>('/doctor'),
    staleTime: freshMs,
    enabled: place !== undefined,
  });
  if (!place || !data) return null;
  const of = (state: Finding['state']) => data.data.filter((finding) => finding.state === state);
  const [first] = [...of('failing'), ...of('warning')];
  return (
    <section className="console-card row wrap traffic-doctor" aria-label="Doctor">
      <h2>Doctor</h2>
      <Chip word={`${of('ok').length} good`} icon="circle-check" tone="good" />
      {of('warning').length > 0 && <Chip word={`${of('warning').length} to do`} icon="alert-triangle" tone="warn" />}
      {of('failing').length > 0 && <Chip word={`${of('failing').length} failing`} icon="alert-triangle" tone="bad" />}
      <span className="grow soft">
        {first ? `${sentence(first.check).slice(0, -1)}: ${first.says}` : 'Nothing needs you.'}
      </span>
      <Link to={place.to}>{first ? 'What to do' : 'See all'}</Link>
    </section>
  );
}
