import { useQuery } from '@tanstack/react-query';
import { Link, useLocation, useParams, useRouter } from '@tanstack/react-router';
import { Fragment, useEffect, useRef } from 'react';
import { useNow } from '../../api/clock.ts';
import { Icon } from '../../look/icons.tsx';
import { Broken, Time } from '../../look/parts.tsx';
import { phoneWords } from '../../words/people.ts';
import { clockTime, dayKey, dayName } from '../../words/times.ts';
import { useShownText } from '../shown-text.tsx';
import { entryQuery, type ReadEntry, saidIn, titleOf, wholeFirm, whoOf } from './entries.ts';
import './archive.css';

/** An entry, with what was said and decided with the same person before and after it. */
export function ArchiveEntry() {
  const { advisorId, number } = useParams({ from: '/archive/$advisorId/$number' });
  const { data, error } = useQuery(entryQuery(Number(advisorId), Number(number)));
  if (error && !data) return <Broken error={error} />;
  const entry = data?.find((each) => each.number === Number(number));
  if (!data || !entry)
    return (
      <div className="console-page">
        <div className="skeleton archive-skeleton" role="status" aria-label="Loading" />
      </div>
    );
  const { name, phone, memberId } = entry;
  return (
    <div className="console-page">
      <header className="console-head">
        <Back />
        <div className="grow">
          <h1>{name ?? (phone ? phoneWords(phone) : titleOf(entry).title)}</h1>
          <p className="small soft">
            {phone && name ? `${phoneWords(phone)} · ` : ''}
            {entry.advisor ?? wholeFirm} · entry {entry.number.toLocaleString('en-US')}
          </p>
        </div>
        {memberId !== null && (
          <Link
            to="/consent/$advisorId/$memberId"
            params={{ advisorId, memberId: String(memberId) }}
            className="button"
          >
            <Icon name="shield-check" />
            Consent
          </Link>
        )}
      </header>
      <Thread entries={data} shown={entry.number} />
    </div>
  );
}

/** To what was found, if it was opened there. */
function Back() {
  const isHit = useLocation({ select: ({ state }) => state.isHit });
  const { history } = useRouter();
  return (
    <Link
      to="/archive"
      className="button quiet square"
      aria-label="Back to the archive"
      onClick={(event) => {
        if (!isHit) return;
        event.preventDefault();
        history.back();
      }}
    >
      <Icon name="chevron-left" size={20} />
    </Link>
  );
}

function Thread({ entries, shown }: { entries: ReadEntry[]; shown: number }) {
  const now = useNow();
  const here = useRef<HTMLLIElement>(null);
  // biome-ignore lint/correctness/useExhaustiveDependencies: once for each entry.
  useEffect(() => {
    here.current?.scrollIntoView({ block: 'center' });
  }, [shown]);
  return (
    <ol className="console-card archive-thread">
      {entries.map((entry, index) => {
        const at = Date.parse(entry.dateTime);
        const before = entries[index - 1];
        const isNewDay = !before || dayKey(Date.parse(before.dateTime)) !== dayKey(at);
        return (
          <Fragment key={entry.number}>
            {isNewDay && <li className="archive-day small soft">{dayName(at, now)}</li>}
            <Item entry={entry} isShown={entry.number === shown} here={entry.number === shown ? here : undefined} />
          </Fragment>
        );
      })}
    </ol>
  );
}

type ItemProps = { entry: ReadEntry; isShown: boolean; here: React.RefObject<HTMLLIElement | null> | undefined };

function Item({ entry, isShown, here }: ItemProps) {
  const { kind, dateTime, number, advisorId } = entry;
  const { text, button } = useShownText(`/archive/${advisorId}/${number}/text`, entry);
  const at = Date.parse(dateTime);
  const { title, icon } = titleOf(entry);
  const isSaid = kind === 'text_out' || kind === 'text_in';
  return (
    <li
      className={isSaid ? `archive-said ${kind === 'text_in' ? 'in' : 'out'}` : 'archive-event'}
      aria-current={isShown ? 'true' : undefined}
      ref={here}
    >
      {isSaid ? (
        <div className={`say ${kind === 'text_in' ? 'in' : 'out'}`}>{text ?? saidIn(entry)}</div>
      ) : (
        <span className="row">
          <Icon name={icon} size={16} />
          <span>
            <b>{title}:</b> {saidIn(entry)}
            {text !== null && ` “${text}”`}
          </span>
        </span>
      )}
      {button}
      <span className="small soft">
        {whoOf(entry)} · {kind === 'text_out' && `${title} · `}
        <Time at={at}>{clockTime(at)}</Time> · entry {number.toLocaleString('en-US')}
      </span>
    </li>
  );
}
