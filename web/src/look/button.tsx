import type { ComponentProps } from 'react';
import { Icon, type IconName } from './icons.tsx';

/** A button of our own. `kind` is how it looks, such as `main`, `bad`, `quiet`, `small` or `square`. */
export function Button({
  icon,
  kind = '',
  children,
  ...rest
}: Omit<ComponentProps<'button'>, 'className' | 'type'> & { icon?: IconName; kind?: string }) {
  const isSmall = /\bsmall\b/.test(kind) && !/\bsquare\b/.test(kind);
  return (
    <button type="button" {...rest} className={`button ${kind}`}>
      {icon && <Icon name={icon} size={isSmall ? 16 : 18} />}
      {children}
    </button>
  );
}
