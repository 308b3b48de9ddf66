import { type ComponentProps, useEffect, useState } from 'react';

/** A day, told once its year is whole: while somebody types 2026, browsers say that it is the year 2, then 20, then 202. */
export function DayField({
  day,
  set,
  className = '',
  ...rest
}: { day: string; set(day: string): void } & Omit<ComponentProps<'input'>, 'value' | 'onChange'>) {
  const [typed, type] = useState(day);
  useEffect(() => type(day), [day]);
  return (
    <input
      {...rest}
      type="date"
      className={`plain-field ${className}`}
      value={typed}
      onChange={({ target: { value } }) => {
        type(value);
        if (value === '' || value >= '1000') set(value);
      }}
    />
  );
}
