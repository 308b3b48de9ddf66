import type { ReactNode } from 'react';
import { Icon, type IconName } from '../look/icons.tsx';

/** A figure: what it counts, how many there are, and what that means. */
export function Tile({
  name,
  icon,
  value,
  unit,
  tone,
  button,
  children,
}: {
  name: string;
  icon?: IconName;
  /** Undefined while it is loaded. */
  value: number | string | undefined;
  unit?: string;
  tone?: 'good' | 'warn' | 'bad' | undefined;
  button?: ReactNode;
  children: ReactNode;
}) {
  return (
    <li className="console-card tile">
      <h2 className="small soft row">
        {icon && <Icon name={icon} size={16} />}
        {name}
      </h2>
      {value === undefined ? (
        <p className="skeleton tile-skeleton" />
      ) : (
        <p className="tile-value number row wrap">
          <span>
            {typeof value === 'number' ? value.toLocaleString('en-US') : value}{' '}
            {unit && <span className="soft">{unit}</span>}
          </span>
          <span className="end">{button}</span>
        </p>
      )}
      <p className={`small ${tone ? `tone ${tone}` : 'soft'}`}>{children}</p>
    </li>
  );
}
