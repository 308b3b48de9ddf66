import { useQuery } from '@tanstack/react-query';
import { Link, useLocation, useParams, useRouter } from '@tanstack/react-router';
import { Fragment, useEffect, useRef } from 'react';
import { useNow } from '../../api/clock.ts';
import { CallFailed } from '../../api/http.ts';
import { Wrong } from '../../look/fields.tsx';
import { Icon } from '../../look/icons.tsx';
import { Broken, Chip, Fact, Loading, Time } from '../../look/parts.tsx';
import { inOrder, lifeMoments, lifeWords, wentAt } from '../../words/lives.ts';
import { count, phoneWords } from '../../words/people.ts';
import type { StateWord } from '../../words/states.ts';
import { clockTime, dayKey, dayName } from '../../words/times.ts';
import { CopyButton } from '../dialogs.tsx';
import { useSession } from '../session.ts';
import { NotFound } from '../shell.tsx';
import { useShownText } from '../shown-text.tsx';
import { When } from '../when.tsx';
import {
  checkingCommand,
  entryQuery,
  lifeOf,
  proofQuery,
  type ReadEntry,
  saidIn,
  titleOf,
  wholeFirm,
  whoOf,
} from './entries.ts';
import './archive.css';

/** An entry, with what was said and decided with the same person before and after it. */
export function ArchiveEntry() {
  const { advisorId, number } = useParams({ from: '/archive/$advisorId/$number' });
  const { data, error } = useQuery(entryQuery(Number(advisorId), Number(number)));
  const isOfficer = useSession().staff.role === 'compliance_officer';
  if (error instanceof CallFailed && error.status === 404) return <NotFound />;
  if (error && !data) return <Broken error={error} />;
  const entry = data?.find((each) => each.number === Number(number));
  if (!data || !entry)
    return (
      <div className="console-page">
        <Loading height={320} />
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
          <div className="row">
            {isOfficer && (
              <Link to="/holds" state={{ about: entry }} className="button">
                <Icon name="gavel" />
                Add a hold
              </Link>
            )}
            <Link
              to="/consent/$advisorId/$memberId"
              params={{ advisorId, memberId: String(memberId) }}
              className="button"
            >
              <Icon name="shield-check" />
              Consent
            </Link>
          </div>
        )}
      </header>
      <div className="archive-read">
        <Thread entries={data} shown={entry.number} />
        <Proof entry={entry} isOfficer={isOfficer} />
      </div>
    </div>
  );
}

const proofWords = {
  signed: { word: 'In the signed archive', icon: 'shield-check', tone: 'good' },
  unsigned: { word: 'Not signed yet', icon: 'hourglass', tone: 'warn' },
  altered: { word: 'Not what was signed', icon: 'alert-triangle', tone: 'bad' },
} as const satisfies Record<string, StateWord>;

/** What shows that the entry is as it was written, and how somebody else can find out. */
function Proof({ entry, isOfficer }: { entry: ReadEntry; isOfficer: boolean }) {
  const { advisorId, number, advisor } = entry;
  const { data: proof, error } = useQuery(proofQuery(advisorId, number));
  const state = proof ? (proof.isIntact ? 'signed' : 'altered') : 'unsigned';
  return (
    <aside className="console-card form archive-proof" aria-labelledby="proof" aria-busy={proof === undefined}>
      <h2 id="proof">Proof</h2>
      {proof === undefined ? (
        error ? (
          <Wrong>{error.message}</Wrong>
        ) : (
          <Loading height={150} />
        )
      ) : (
        <>
          <div role="status">
            <Chip {...proofWords[state]} />
          </div>
          {proof && (
            <dl className="facts">
              <Fact name="Entry">{number.toLocaleString('en-US')}</Fact>
              <Fact name="Signed">
                <When at={proof.signedAt} />
              </Fact>
              <Fact name="Checkpoint">over {count(proof.size, 'entry', 'entries')}</Fact>
              <Fact name="Its hash">
                <code>{proof.root}</code>
              </Fact>
            </dl>
          )}
          {state === 'unsigned' && <p className="small soft">New entries are signed within seconds.</p>}
          {state === 'signed' && (
            <p className="small soft">
              Computed just now: the entry that is stored leads to the hash that was signed. Changed by one letter, it
              would not.
            </p>
          )}
          {state === 'altered' && (
            <p className="small">
              What is stored is not what was signed: it was changed since. Don’t rely on it, and have your operator run{' '}
              <code>assent archive verify</code>.
            </p>
          )}
        </>
      )}
      <p className="small soft">
        An examiner checks it without us, in{' '}
        {advisor === null ? (
          'an export of the deployment’s own book, which your operator makes,'
        ) : isOfficer ? (
          <>
            <Link to="/exports" state={{ about: entry }} className="in-text">
              an export
            </Link>{' '}
            of this day,
          </>
        ) : (
          'an export of this day,'
        )}{' '}
        with one command:
      </p>
      <div className="shown-once">
        <code>{checkingCommand}</code>
        <CopyButton what="The command" value={checkingCommand} />
      </div>
    </aside>
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
  const inThread = inOrder(entries, lifeOf, ({ dateTime }) => Date.parse(dateTime));
  const standsAt = (entry: ReadEntry) => {
    const life = lifeOf(entry);
    return life ? (wentAt(life) ?? now) : Date.parse(entry.dateTime);
  };
  return (
    <ol className="console-card archive-thread">
      {inThread.map((entry, index) => {
        const at = standsAt(entry);
        const before = inThread[index - 1];
        const isNewDay = !before || dayKey(standsAt(before)) !== dayKey(at);
        return (
          <Fragment key={entry.number}>
            {isNewDay && <li className="archive-day small soft">{dayName(at, now)}</li>}
            <Item
              entry={entry}
              now={now}
              isShown={entry.number === shown}
              here={entry.number === shown ? here : undefined}
            />
          </Fragment>
        );
      })}
    </ol>
  );
}

type ItemProps = {
  entry: ReadEntry;
  now: number;
  isShown: boolean;
  here: React.RefObject<HTMLLIElement | null> | undefined;
};

function Item({ entry, now, isShown, here }: ItemProps) {
  const { kind, dateTime, number, advisorId } = entry;
  const { text, button } = useShownText(`/archive/${advisorId}/${number}/text`, entry);
  const at = Date.parse(dateTime);
  const { title, icon } = titleOf(entry);
  const life = lifeOf(entry);
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
        {whoOf(entry)} ·{' '}
        {life ? (
          <Time at={wentAt(life) ?? at} title={lifeMoments(life)}>
            {lifeWords(life, title, { now })}
          </Time>
        ) : (
          <Time at={at}>{clockTime(at)}</Time>
        )}{' '}
        · entry {number.toLocaleString('en-US')}
      </span>
    </li>
  );
}
