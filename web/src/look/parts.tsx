import type { ReactNode } from 'react';
import { CallFailed } from '../api/http.ts';
import { hueOf, initials } from '../words/people.ts';
import type { StateWord } from '../words/states.ts';
import { fullTime } from '../words/times.ts';
import { Button } from './button.tsx';
import { Icon, type IconName } from './icons.tsx';

/** A picture of a person. Its letters are drawn, not text: a button with nothing else is named by its label alone. */
export function Face({ name, phone, size = '' }: { name: string | null; phone: string; size?: 'large' | 'tiny' | '' }) {
  const letters = initials(name ?? '');
  return (
    <span
      className={`face ${size}`}
      aria-hidden="true"
      data-letters={letters || phone.slice(-2)}
      ref={(element) => element?.style.setProperty('--hue', String(hueOf(name ?? phone)))}
    />
  );
}

export function Chip({ word, icon, tone }: StateWord) {
  return (
    <span className={`chip ${tone}`}>
      <Icon name={icon} size={14} />
      {word}
    </span>
  );
}

/** A line of a list of facts. */
export function Fact({ name, children }: { name: string; children: ReactNode }) {
  return (
    <>
      <dt>{name}</dt>
      <dd>{children}</dd>
    </>
  );
}

/** A short time, with the whole moment behind it. */
export function Time({
  at,
  zone,
  title = fullTime(at, zone),
  children,
}: {
  at: number;
  zone?: string;
  title?: string;
  children: ReactNode;
}) {
  return (
    <time dateTime={new Date(at).toISOString()} title={title} className="number">
      {children}
    </time>
  );
}

/** Instead of content: what it is, why, and what to do. */
export function StateScreen({
  icon,
  title,
  children,
  action,
  isPage = false,
}: {
  icon: IconName;
  title: string;
  children: ReactNode;
  action?: ReactNode;
  /** Nothing else is on the page. */
  isPage?: boolean;
}) {
  return (
    <div className="state-screen">
      <span className="round">
        <Icon name={icon} size={26} />
      </span>
      {isPage ? <h1>{title}</h1> : <h2>{title}</h2>}
      <p>{children}</p>
      {action}
    </div>
  );
}

/** Instead of what is being loaded: bars, about as high as that. */
export function Loading({ height, bars = 1 }: { height: number; bars?: number }) {
  return (
    <div className="loading" role="status" aria-label="Loading">
      {Array.from({ length: bars }, (_, bar) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: they are all alike
        <div className="skeleton" key={bar} style={{ height }} />
      ))}
    </div>
  );
}

/** What isn't an answer of the server's is the program's own, and nothing for people to read. */
const unloaded = {
  message: 'The connection may be gone, there may be a new version of this page, or something broke on our side.',
  traceId: null,
};

export function Broken({ error, retry }: { error: unknown; retry?: () => void }) {
  const { message, traceId } = error instanceof CallFailed ? error : unloaded;
  return (
    <StateScreen
      icon="alert-triangle"
      title="This didn’t load"
      action={<Button onClick={retry ?? (() => location.reload())}>Try again</Button>}
    >
      {message}
      {traceId && (
        <>
          {' '}
          If you ask for help, quote <code>{traceId}</code>.
        </>
      )}
    </StateScreen>
  );
}
