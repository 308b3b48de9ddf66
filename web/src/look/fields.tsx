import type { ComponentProps, ReactNode, Ref } from 'react';
import { Icon } from './icons.tsx';

type LabelProps = { label: ReactNode; className?: string; wrong?: string | null };
type Writable<Element extends 'input' | 'textarea'> = Omit<
  ComponentProps<Element>,
  'onChange' | 'className' | 'ref'
> & {
  set(value: string): void;
};

/** A line to write, below what it is for; what is wrong with it stands below. */
export function Field({ label, className, wrong, set, ...rest }: LabelProps & Writable<'input'>) {
  return (
    <Label label={label} className={className} wrong={wrong}>
      <input
        aria-invalid={wrong ? true : undefined}
        {...rest}
        className="plain-field"
        onChange={({ target }) => set(target.value)}
      />
    </Label>
  );
}

/** The same for several lines. */
export function Lines({
  label,
  className,
  set,
  field,
  ...rest
}: LabelProps & Writable<'textarea'> & { field?: Ref<HTMLTextAreaElement> }) {
  return (
    <Label label={label} className={className}>
      <textarea {...rest} ref={field} className="plain-field" onChange={({ target }) => set(target.value)} />
    </Label>
  );
}

type Options = { value: string | number | undefined; choose(value: string): void } & {
  /** What stands for no choice. */
  none?: string;
  /** Undefined while they load. */
  options: readonly (readonly [string | number, string])[] | undefined;
};

/** One of several, in a list that opens. */
export function Choice({ label, ...rest }: { label: ReactNode } & Options) {
  return (
    <Label label={label}>
      <Select {...rest} />
    </Label>
  );
}

/** The same beside other controls, where its label isn't shown. */
export function Select({
  value = '',
  choose,
  none,
  options,
  className = '',
  ...rest
}: Options & { className?: string; 'aria-label'?: string }) {
  return (
    <select
      {...rest}
      className={`plain-field ${className}`}
      value={value}
      onChange={({ target }) => choose(target.value)}
    >
      {none !== undefined && <option value="">{none}</option>}
      {options?.map(([value, words]) => (
        <option value={value} key={value}>
          {words}
        </option>
      ))}
    </select>
  );
}

/** Something that is so or not. */
export function Tick({ isOn, set, children }: { isOn: boolean; set(isOn: boolean): void; children: ReactNode }) {
  return (
    <label className="row">
      <input type="checkbox" checked={isOn} onChange={({ target }) => set(target.checked)} />
      {children}
    </label>
  );
}

/** One of a few, all in sight. */
export function Tabs<Name extends string | number>({
  label,
  options,
  chosen,
  choose,
  className = '',
}: {
  label: string;
  options: readonly (readonly [string | number, ReactNode])[];
  chosen: Name;
  choose(name: NoInfer<Name>): void;
  className?: string;
}) {
  return (
    <fieldset className={`tabs ${className}`} aria-label={label}>
      {options.map(([name, words]) => (
        <button type="button" key={name} aria-pressed={chosen === name} onClick={() => choose(name as Name)}>
          {words}
        </button>
      ))}
    </fieldset>
  );
}

/** Why something couldn't be done. */
export function Wrong({ children }: { children: ReactNode }) {
  return (
    <p className="hint bad" role="alert">
      <Icon name="alert-triangle" />
      {children}
    </p>
  );
}

/** What a field is for, with the field inside; what is wrong with it stands below. */
export function Label({
  label,
  className = '',
  wrong,
  children,
}: {
  label: ReactNode;
  className?: string | undefined;
  wrong?: string | null | undefined;
  children: ReactNode;
}) {
  return (
    // biome-ignore lint/a11y/noLabelWithoutControl: it is among the children.
    <label className={`label ${className}`}>
      {label}
      {children}
      {wrong && <small role="alert">{wrong}</small>}
    </label>
  );
}
